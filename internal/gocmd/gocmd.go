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
	"strings"
	"time"
)

// Flags are those of each build by which the go command keeps what it compiles:
// all that is built with them shares packages, the suite's tests as well.
// Binaries have no debug information: to make it takes a fifth of the compilers'
// time and a quarter of the build cache.
var Flags = []string{"-trimpath", "-gcflags=all=-dwarf=false"}

// Run runs the go command in dir, with env beside the environment of this
// process, and calls update with what its option -v reports. A failure carries
// the last lines of its output, and nothing else is shown of it.
func Run(ctx context.Context, dir string, update func(string), env []string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
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
		return fmt.Errorf("%w: %s", err, strings.Join(last, "\n"))
	}
	return nil
}

// follow reads the output of "go build -v" to its end, reports progress, and
// returns the last lines that are not progress.
func follow(r io.Reader, update func(string)) []string {
	const keep = 20
	var last []string
	var modules, packages int
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "go: downloading "):
			modules++
		case isPackage(line):
			packages++
		default:
			if last = append(last, line); len(last) > keep {
				last = last[1:]
			}
		}
		update(fmt.Sprintf("%d modules fetched, %d packages compiled", modules, packages))
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
