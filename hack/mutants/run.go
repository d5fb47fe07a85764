// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/report"
	breaking "github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/gocmd"
)

// run implements target.
func (c *cluster) run(ctx context.Context, name, driverTag string, specs []string) (report.Report, error) {
	return c.Run(ctx, name, switches.Image(images.Fakedriver, driverTag), focusOn(specs))
}

// focusOn returns a regular expression that matches exactly these specs, or all
// without any.
func focusOn(specs []string) string {
	if len(specs) == 0 {
		return ""
	}
	return anyOf(specs)
}

// breaker returns the path of the command that runs journeys with a fault in
// their clusters. An environment variable selects the fault.
func (c *cluster) breaker() string { return filepath.Join(c.Dir, "draconform-breaks") }

func (c *cluster) buildBreaker(ctx context.Context) error {
	task := c.Progress.Task("command that breaks clusters")
	err := gocmd.Build(ctx, ".", func(done gocmd.Done) { task.Update("%s", done) }, []string{"CGO_ENABLED=0"},
		"-tags", breaking.Tag, "-o", c.breaker(), "./e2e/cmd/draconform")
	if err != nil {
		return task.Fail(fmt.Errorf("build the command: %w", err))
	}
	task.Done("built")
	return nil
}

// runBroken runs the command that breaks clusters with faults of a component. Without
// any, all components are correct.
func (c *cluster) runBroken(ctx context.Context, name, broken string, faults []string, args ...string) (report.Report, error) {
	var env []string
	if len(faults) > 0 {
		env = []string{breaking.Breaks + "=" + broken + "=" + strings.Join(faults, ",")}
	}
	return c.Report(ctx, name, env, c.breaker(), args...)
}

// runJourneys implements target. All journeys support draconform's scheduler.
func (c *cluster) runJourneys(ctx context.Context, name, what, fault string, journeys []string) (report.Report, error) {
	return c.runBroken(ctx, name, what, single(fault), "skew", "--scheduler", skew.DraconformScheduler, "--id", strings.Join(journeys, ","))
}

// single returns a list of a fault. Without one, it is empty.
func single(fault string) []string {
	if fault == "" {
		return nil
	}
	return []string{fault}
}
