// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/hack/internal/draconform"
	breaking "github.com/draconform/draconform/internal/fault"
)

// run implements target.
func (c *cluster) run(ctx context.Context, name, driverTag string, what scope) (report.Report, error) {
	return c.Run(ctx, name, switches.Image(images.Fakedriver, driverTag), what.inRun())
}

// breaker returns the path of the command that runs journeys with a fault in
// their clusters. An environment variable selects the fault.
func (c *cluster) breaker() string { return filepath.Join(c.Dir, "draconform-breaks") }

func (c *cluster) buildBreaker(ctx context.Context) error {
	return switches.Command(ctx, c.Progress.Task("command that breaks clusters"), c.breaker())
}

// runBroken runs the command that breaks clusters with faults of a component. Without
// any, all components are correct. The run has the name of its folder.
func (c *cluster) runBroken(ctx context.Context, r draconform.Run, broken string, faults []string, args ...string) (report.Report, error) {
	r.Command = c.breaker()
	if len(faults) > 0 {
		r.Env = []string{breaking.Breaks + "=" + broken + "=" + strings.Join(faults, ",")}
	}
	return c.Report(ctx, r, args...)
}

// runJourneys implements target. All journeys support draconform's scheduler.
func (c *cluster) runJourneys(ctx context.Context, name, what, fault string, journeys []string) (report.Report, error) {
	return c.runBroken(ctx, draconform.Run{Dir: name}, what, single(fault), "skew", "--scheduler", skew.DraconformScheduler, "--id", strings.Join(journeys, ","))
}

// single returns a list of a fault. Without one, it is empty.
func single(fault string) []string {
	if fault == "" {
		return nil
	}
	return []string{fault}
}
