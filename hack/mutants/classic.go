// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/hack/internal/command"
	"github.com/draconform/draconform/hack/internal/draconform"
)

//go:embed classic.yaml
var classicData []byte

// classicDriver is the fake driver of classic DRA.
const classicDriver = "classic driver"

var classicComponents = []string{classicDriver}

// classicDrivers runs specs with a faulty driver of classic DRA. Each run has a control
// plane of its own, so that no cluster is needed.
type classicDrivers struct{ *cluster }

// prepare builds the command that builds faulty drivers.
func (c *classicDrivers) prepare(ctx context.Context, _ int, _ []fault) error {
	if _, _, err := c.Begin(); err != nil {
		return err
	}
	return c.buildBreaker(ctx)
}

// separate reports that a fault does not affect others: its specs have a control plane of their own.
func separate(fault) bool { return true }

// control implements trial.
func (c *classicDrivers) control(ctx context.Context, faults []fault) error {
	must := specsOf([]batch{{faults: faults}})
	c.Progress.Printf("without a fault: %d specs must pass", len(must))
	got, err := c.judge(ctx, without, "", must)
	if err != nil {
		return fmt.Errorf("run the specs without a fault: %w", err)
	}
	return allPassed(got, must)
}

// runSpecs implements trial.
func (c *classicDrivers) runSpecs(ctx context.Context, f fault) (report.Report, error) {
	return c.judge(ctx, f.Name, f.Name, f.Specs)
}

// judge runs specs with a fault, each in the release that it is for, and returns the
// results together. name is the first part of the names of the folders with the results.
func (c *classicDrivers) judge(ctx context.Context, name, fault string, ids []string) (report.Report, error) {
	byRelease := map[string][]string{}
	for _, id := range ids {
		release := releaseOf(id)
		byRelease[release] = append(byRelease[release], id)
	}
	var all report.Report
	for _, release := range slices.Sorted(maps.Keys(byRelease)) {
		got, err := c.runBroken(ctx, draconform.Run{Dir: name + "-" + release}, classicDriver, single(fault), "run", "--provider", run.ControlPlane, "--release", release,
			"--gates", "alpha", "--scheduler", skew.KubeScheduler, "--focus", command.Exactly(byRelease[release]))
		if err != nil {
			return report.Report{}, err
		}
		// The others are not selected, and those of another release run there.
		all.Specs = append(all.Specs, slices.DeleteFunc(got.Specs, func(s report.Spec) bool { return !slices.Contains(byRelease[release], s.ID) })...)
	}
	return all, nil
}

// releaseOf returns the release of classic DRA that a spec is for.
func releaseOf(id string) string {
	all := specs.All()
	i := slices.IndexFunc(all, func(s suite.Spec) bool { return s.ID == id })
	if i >= 0 && slices.Contains(all[i].Features, features.ResourceClasses) {
		return "1.30"
	}
	return "1.31"
}
