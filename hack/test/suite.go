// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/draconform/draconform/internal/gocmd"
)

// suite is one call of go test.
type suite struct {
	dir      string   // folder of the module
	packages []string // patterns of the tested packages
	without  string   // packages whose path contains this text are skipped, unless it is empty
	tags     []string // build tags
	tests    string   // pattern of the tests, of which each package must have some; empty means all
	beside   bool     // another suite runs at the same time
}

// timeout limits the tests of a package.
const timeout = "30m"

// longest lists the packages with the longest tests, one per line. They start
// first, while other packages are still being compiled.
//
//go:embed longest.txt
var longest string

// run runs the tests and calls starts when the first of them start.
func (s suite) run(ctx context.Context, t *times, starts func()) error {
	packages, err := s.list(ctx)
	if err != nil {
		return err
	}
	// Without go vet, which would type-check all dependencies once more. "make lint"
	// and "make verify" run it. The tests use all processors, even if the compilers
	// are limited.
	args := slices.Concat([]string{"test", "-json", "-vet=off", "-timeout=" + timeout, "-tags=" + strings.Join(s.tags, ","), "-run=" + s.tests}, gocmd.Flags)
	args = append(args, "-p="+strconv.Itoa(s.programs(runtime.NumCPU())))
	if env, _ := gocmd.Processors(runtime.NumCPU()); len(env) > 0 {
		args = append(args, "-toolexec=env "+strings.Join(env, " "))
	}
	args = append(args, packages...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stderr = s.dir, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	passed, err := t.read(out, starts)
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return err
	}
	return s.check(packages, passed)
}

// programs returns the number of compilers and tests that run at once on n processors. Tests
// with time limits would fail if there were too many. One more than there are processors
// uses the time in which tests wait.
func (s suite) programs(n int) int {
	if s.beside {
		return max(1, n/2)
	}
	return n + 1
}

// check returns an error if tests that should have run do not exist. passed has the
// number of tests of each package.
func (s suite) check(packages []string, passed map[string]int) error {
	if len(passed) == 0 {
		return errors.New("no test has run")
	}
	for _, p := range packages {
		if s.tests != "" && passed[p] == 0 {
			return fmt.Errorf("no test of %s matches %s", p, s.tests)
		}
	}
	return nil
}

// withTests prints a package if it has tests. go test also compiles packages
// without tests, and all that they import, such as that of a whole scheduler.
const withTests = "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"

// list returns the packages with tests of a suite, those with the longest tests
// first.
func (s suite) list(ctx context.Context) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-f", withTests}, s.packages...)...)
	cmd.Dir, cmd.Stderr = s.dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("list packages: %w", err)
	}
	order := strings.Fields(longest)
	place := func(p string) int {
		if i := slices.Index(order, p); i >= 0 {
			return i
		}
		return len(order)
	}
	packages := slices.DeleteFunc(strings.Fields(string(out)), func(p string) bool { return s.without != "" && strings.Contains(p, s.without) })
	if len(packages) == 0 {
		return nil, fmt.Errorf("no package matches %s in %s", strings.Join(s.packages, " "), s.dir)
	}
	slices.SortStableFunc(packages, func(a, b string) int { return place(a) - place(b) })
	return packages, nil
}
