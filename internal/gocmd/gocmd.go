// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gocmd runs the go command and reports its progress. It only needs the
// standard library, so that it compiles quickly on a new machine.
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

// Flags are the flags of every build. The go command's cache depends on them:
// all builds with these flags, including the suite's tests, share compiled
// packages. Binaries have no debug information, which would take a fifth of the
// compilers' time and a quarter of the build cache. The compilers start their
// first garbage collection at 128 MiB, which is their default with several
// processors.
var Flags = []string{"-trimpath", "-gcflags=all=-dwarf=false -d=gcstart=128"}

// fewProcessors is the largest number of processors for which one
// single-threaded compiler per processor is used. By default, each compiler
// starts threads for all processors. With few processors that takes an eighth
// more processor time, and a quarter more in the kernel.
const fewProcessors = 2

// Processors returns the environment variables and flags with which a build
// uses n processors efficiently.
func Processors(n int) (env, flags []string) {
	if n > fewProcessors {
		return nil, nil
	}
	return []string{"GOMAXPROCS=1"}, []string{"-p", strconv.Itoa(n)}
}

// Done is the progress of the go command.
type Done struct{ Modules, Packages int }

// Count is the number of compiled packages.
func (d Done) Count() int { return d.Packages }

// String returns the progress as text for the user.
func (d Done) String() string {
	if d.Modules == 0 {
		return fmt.Sprintf("%d packages compiled", d.Packages)
	}
	return fmt.Sprintf("%d modules fetched, %d packages compiled", d.Modules, d.Packages)
}

// Build runs "go build" with [Flags] and args in dir. It adds env to the
// environment of this process, and calls update with the progress. The error
// contains the last lines of the output. The output is not shown otherwise.
func Build(ctx context.Context, dir string, update func(Done), env []string, args ...string) error {
	variables, flags := Processors(runtime.NumCPU())
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"build", "-v"}, Flags, flags, args)...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), variables, env)
	// On an interrupt, the go command stops its compilers. If it is killed,
	// they keep running.
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
		// Remove headings such as "# example.com/package".
		last = slices.DeleteFunc(last, func(line string) bool { return line == "" || strings.HasPrefix(line, "# ") })
		return fmt.Errorf("%w: %s", err, strings.Join(last, "\n"))
	}
	return nil
}

// follow reads the output of "go build -v" to its end and reports progress. It
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
		_, _ = io.Copy(io.Discard, r) // otherwise the command blocks on its output
	}
	return last
}

// isPackage reports whether a line is a bare import path, as printed by -v.
func isPackage(line string) bool {
	return line != "" && !strings.ContainsAny(line, " \t:#")
}
