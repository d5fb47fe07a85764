// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Command test runs the tests that need no cluster. It runs go test with the
// flags of all other builds. The packages with the longest tests come first. It
// prints go test's output for packages, including that of all failed tests, and
// finally the durations.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// large is the suite with almost all tests.
var large = suite{dir: ".", packages: []string{"./..."}}

var faultsAndVariants = []string{"draconform_faults", "draconform_variants"}

// small are the other tests that need no cluster and no API server.
var small = []suite{
	{beside: true, dir: "allocator/scheduler", packages: []string{"./..."}, without: "/integration"},
	// With both tags at once, two suites share what is compiled.
	{beside: true, dir: ".", packages: []string{"./fakedriver/plugin", "./fakedriver/claims", "./fakedriver/model", "./fakedriver/multihost"}, tags: faultsAndVariants, tests: "^TestWrong"},
	{beside: true, dir: ".", packages: []string{"./fakedriver/plugin"}, tags: faultsAndVariants, tests: "^TestRight"},
	{beside: true, dir: "allocator/scheduler", packages: []string{".", "./internal/defaults"}, tags: []string{"draconform_variants"}, tests: "^TestRight"},
	{beside: true, dir: "e2e/vendors", packages: []string{"./..."}},
}

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

// run runs all suites, even if one fails, and prints their durations.
func run(ctx context.Context, update bool) error {
	t := &times{begun: time.Now(), to: os.Stdout}
	failed := runBeside(ctx, large, small, func(ctx context.Context, s suite, starts func()) error { return s.run(ctx, t, starts) })
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	fmt.Print(t.table())
	if update && failed == nil {
		return os.WriteFile(filepath.Join("hack", "test", "longest.txt"), []byte(t.order()), 0o644)
	}
	return failed
}

// runBeside runs a large suite and, as soon as the first tests of it start, small ones
// one after the other beside it. What they have in common is compiled by then: two go
// commands that run at the same time would compile it twice. The first argument of do is
// the suite, the second one must be called when tests of it start. The suites that
// follow the end of the context do not run.
func runBeside(ctx context.Context, large suite, small []suite, do func(_ context.Context, _ suite, starts func()) error) error {
	var failures [2]error
	started, start := context.WithCancel(context.WithoutCancel(ctx))
	defer start()
	var lanes sync.WaitGroup
	lanes.Go(func() {
		defer start() // Without a start, tests cannot be compiled.
		failures[0] = named(large, do(ctx, large, start))
	})
	lanes.Go(func() {
		<-started.Done()
		for _, s := range small {
			if ctx.Err() == nil {
				failures[1] = errors.Join(failures[1], named(s, do(ctx, s, func() {})))
			}
		}
	})
	lanes.Wait()
	return errors.Join(failures[:]...)
}

// named adds the suite to its error.
func named(s suite, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("tests of %s in %s: %w", strings.Join(s.packages, " "), s.dir, err)
}
