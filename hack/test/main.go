// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command test runs the tests that need no cluster. It runs go test with the
// flags of all other builds. The packages with the longest tests come first. It
// prints go test's output for packages, including that of all failed tests, and
// finally the durations.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/draconform/draconform/internal/gocmd"
)

// suite is one call of go test.
type suite struct {
	dir      string // folder of the module
	packages string // pattern of the tested packages
	without  string // packages whose path contains this text are skipped, unless it is empty
	flags    []string
}

// suites are all tests that need no cluster and no API server.
var suites = []suite{
	{dir: ".", packages: "./...", flags: []string{"-timeout=30m"}},
	{dir: ".", packages: "./e2e/specs", flags: []string{"-tags=draconform_faults", "-run=TestSpecsDetectFaultsOfTheAllocator"}},
	{dir: ".", packages: "./fakedriver/plugin", flags: []string{"-tags=draconform_faults", "-run=^TestWrong"}},
	{dir: ".", packages: "./fakedriver/multihost", flags: []string{"-tags=draconform_faults", "-run=^TestWrong"}},
	{dir: ".", packages: "./fakedriver/plugin", flags: []string{"-tags=draconform_variants", "-run=^TestRight"}},
	{dir: "allocator/scheduler", packages: "./...", without: "/integration"},
	{dir: "allocator/scheduler", packages: ".", flags: []string{"-tags=draconform_variants", "-run=^TestRight"}},
	{dir: "e2e/vendors", packages: "./..."},
}

// longest lists the packages with the longest tests, one per line. They start
// first, while other packages are still being compiled.
//
//go:embed longest.txt
var longest string

func main() {
	update := flag.Bool("update", false, "rewrite hack/test/longest.txt; run all tests with empty test caches")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, *update)
	cancel()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run runs all suites, even if an earlier one fails.
func run(ctx context.Context, update bool) error {
	t := times{begun: time.Now()}
	var failed error
	for _, s := range suites {
		if err := s.run(ctx, &t); err != nil {
			failed = errors.Join(failed, fmt.Errorf("tests of %s in %s: %w", s.packages, s.dir, err))
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	fmt.Print(t.table())
	if update && failed == nil {
		return os.WriteFile(filepath.Join("hack", "test", "longest.txt"), []byte(t.order()), 0o644)
	}
	return failed
}

func (s suite) run(ctx context.Context, t *times) error {
	packages, err := s.list(ctx)
	if err != nil {
		return err
	}
	// Without go vet, which would type-check all dependencies once more. "make lint"
	// and "make verify" run it. The tests use all processors, even if the compilers
	// are limited.
	args := slices.Concat([]string{"test", "-json", "-vet=off"}, gocmd.Flags, s.flags)
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
	before := t.passed
	if err := errors.Join(t.read(out, os.Stdout), cmd.Wait()); err != nil {
		return err
	}
	if t.passed == before {
		return errors.New("no test has run")
	}
	return nil
}

// withTests prints a package if it has tests. go test also compiles packages
// without tests, and all that they import, such as that of a whole scheduler.
const withTests = "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"

// list returns the packages with tests of a suite, those with the longest tests
// first.
func (s suite) list(ctx context.Context) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-f", withTests, s.packages)
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
		return nil, fmt.Errorf("no package matches %s in %s", s.packages, s.dir)
	}
	slices.SortStableFunc(packages, func(a, b string) int { return place(a) - place(b) })
	return packages, nil
}
