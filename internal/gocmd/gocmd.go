// Package gocmd runs the go command, and tells its progress. It needs the
// standard library only, so that it is there at once on a bare machine.
package gocmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Flags are those of each build by which the go command keeps what it compiles:
// all that is built with them shares packages, the suite's tests as well.
// Binaries have no debug information: to make it takes a fifth of the compilers'
// time and a quarter of the build cache. The compilers' first garbage collection
// is at 128 MiB, as is their default where they have several processors.
var Flags = []string{"-trimpath", "-gcflags=all=-dwarf=false -d=gcstart=128"}

// fewProcessors is how many processors are kept busy by one compiler for each. Of
// those that share them, each would start threads for all: that takes an eighth
// more of their time, a quarter more in the kernel.
const fewProcessors = 2

// Processors are the variables and flags that keep n processors busy.
func Processors(n int) (env, flags []string) {
	if n > fewProcessors {
		return nil, nil
	}
	return []string{"GOMAXPROCS=1"}, []string{"-p", strconv.Itoa(n)}
}

// Done is how far the go command is.
type Done struct{ Modules, Packages int }

// Count is the number of compiled packages.
func (d Done) Count() int { return d.Packages }

// String is for people.
func (d Done) String() string {
	if d.Modules == 0 {
		return fmt.Sprintf("%d packages compiled", d.Packages)
	}
	return fmt.Sprintf("%d modules fetched, %d packages compiled", d.Modules, d.Packages)
}

// Build runs "go build" with [Flags] and args in dir, with env added to the
// environment of this process, and calls update with what has been done so far.
// A failure carries the last lines of its output, and nothing else is shown of it.
func Build(ctx context.Context, dir string, update func(Done), env []string, args ...string) error {
	variables, flags := Processors(runtime.NumCPU())
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"build", "-v"}, Flags, flags, args)...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), variables, env)
	// Interrupted, the go command ends its compilers; killed, it leaves them.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	stderr, err := cmd.StderrPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the go command: %w", err)
	}
	last := follow(stderr, update)
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// Lines such as "# example.com/package" stand above what is said of it.
		last = slices.DeleteFunc(last, func(line string) bool { return line == "" || strings.HasPrefix(line, "# ") })
		return fmt.Errorf("%w: %s", err, strings.Join(last, "\n"))
	}
	return nil
}

// follow reads the output of "go build -v" to its end, reports progress, and
// returns the last lines that are not progress.
func follow(r io.Reader, update func(Done)) []string {
	const keep = 20
	var last []string
	var done Done
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "go: downloading "):
			done.Modules++
		case isPackage(line):
			done.Packages++
		default:
			if last = append(last, line); len(last) > keep {
				last = last[1:]
			}
		}
		update(done)
	}
	if err := lines.Err(); err != nil && !errors.Is(err, os.ErrClosed) {
		last = append(last, err.Error())
		_, _ = io.Copy(io.Discard, r) // or the command waits until somebody reads
	}
	return last
}

// isPackage tells a line of -v, a bare import path, from a message.
func isPackage(line string) bool {
	return line != "" && !strings.ContainsAny(line, " \t:#")
}
