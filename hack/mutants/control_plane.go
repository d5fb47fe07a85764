// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/draconform"
)

// processes is the number of chosen specs that run at the same time on a control plane.
// They wait most of the time. The whole suite has as many processes as in any run.
const processes = 9

// controlPlanes starts a control plane on this machine for each run, with faults
// of its scheduler. That takes a third of the time of a run in a kind cluster.
type controlPlanes struct {
	*cluster
	// faults are those of the scheduler with a tag.
	faults map[string][]string
	// using is the tag of the scheduler of the next runs.
	using string
}

var _ place = &controlPlanes{}

// judgedWithoutNodes returns the faults of schedulers that specs without
// containers find, with these specs only.
func judgedWithoutNodes(faults []fault, all []suite.Spec) []fault {
	var chosen []fault
	for _, f := range faults {
		if f.Broken != scheduler {
			continue
		}
		f.Specs = slices.DeleteFunc(slices.Clone(f.Specs), func(id string) bool {
			return slices.ContainsFunc(all, func(s suite.Spec) bool { return s.ID == id && s.NeedsContainers() })
		})
		if len(f.Specs) > 0 {
			chosen = append(chosen, f)
		}
	}
	return chosen
}

// prepare implements place.
func (c *controlPlanes) prepare(ctx context.Context, workers int, faults []fault) error {
	var all []batch
	for _, f := range faults {
		all = append(all, alone(f))
	}
	return c.prepareBatches(ctx, workers, all)
}

// prepareBatches implements place. It builds a command that breaks the scheduler of
// the control planes that it starts.
func (c *controlPlanes) prepareBatches(ctx context.Context, _ int, all []batch) error {
	if _, _, err := c.Begin(); err != nil {
		return err
	}
	c.faults = schedulerFaults(all)
	return c.buildBreaker(ctx)
}

// schedulerFaults returns the faults of schedulers by their tag.
func schedulerFaults(all []batch) map[string][]string {
	faults := map[string][]string{}
	for _, b := range all {
		faults[b.tag(scheduler)] = b.of(scheduler)
	}
	return faults
}

// useScheduler implements target. The next control planes have the scheduler.
func (c *controlPlanes) useScheduler(_ context.Context, tag string) error {
	c.using = tag
	return nil
}

// usePolicies implements target.
func (c *controlPlanes) usePolicies(_ context.Context, faults []string) error {
	return fmt.Errorf("control planes cannot have faults of an API server: %s", strings.Join(faults, ", "))
}

// run implements target. There are no drivers.
func (c *controlPlanes) run(ctx context.Context, name, _ string, what scope) (report.Report, error) {
	args := append([]string{"run", "--provider", run.ControlPlane, "--scheduler", skew.DraconformScheduler}, what.inRun().Args()...)
	if len(what.specs) > 0 {
		args = append(args, "--parallel", strconv.Itoa(processes))
	}
	return c.runBroken(ctx, draconform.Run{Dir: name, Until: what.until}, scheduler, c.faults[c.using], args...)
}
