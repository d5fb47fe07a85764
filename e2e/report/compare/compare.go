// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package compare compares the reports of two runs.
package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// Times of specs that passed in both runs count as different if one is at least
// Factor times the other and at least Seconds longer. Smaller differences are
// normal variation.
const (
	Factor  = 1.5
	Seconds = 5.0
)

// Comparison contains the differences between two runs. Lists of specs have the
// order of the runs.
type Comparison struct {
	Before, Now report.Report
	// Outcomes are the specs that have different outcomes in both runs.
	Outcomes []Spec
	// Times are the specs that passed in both runs with different times.
	Times []Spec
	// New are the specs of the second run only. Removed are those of the first
	// run only.
	New, Removed []report.Spec
	// Environment are the differences in the cluster, the drivers and
	// draconform.
	Environment []Difference
}

// Spec is a spec that is in both runs.
type Spec struct{ Before, Now report.Spec }

// Difference is a property whose value differs between the runs. An empty value
// means that the property is absent.
type Difference struct{ Name, Before, Now string }

// Runs compares two runs.
func Runs(before, now report.Report) Comparison {
	c := Comparison{Before: before, Now: now, Environment: environment(before, now)}
	was := byID(before.Specs)
	for _, s := range now.Specs {
		old, ok := was[s.ID]
		switch {
		case !ok:
			c.New = append(c.New, s)
		case old.Outcome != s.Outcome:
			c.Outcomes = append(c.Outcomes, Spec{old, s})
		case s.Outcome == suite.Passed && differs(old.Seconds, s.Seconds):
			c.Times = append(c.Times, Spec{old, s})
		}
	}
	is := byID(now.Specs)
	for _, s := range before.Specs {
		if _, ok := is[s.ID]; !ok {
			c.Removed = append(c.Removed, s)
		}
	}
	return c
}

// Regressions returns the specs that passed in the first run and fail in the
// second. Provisional specs are none, as they do not fail a run.
func (c Comparison) Regressions() []Spec {
	var regressions []Spec
	for _, s := range c.Outcomes {
		if s.Before.Outcome == suite.Passed && s.Now.Outcome == suite.Failed && !s.Now.Provisional() {
			regressions = append(regressions, s)
		}
	}
	return regressions
}

func byID(specs []report.Spec) map[string]report.Spec {
	all := map[string]report.Spec{}
	for _, s := range specs {
		all[s.ID] = s
	}
	return all
}

func differs(a, b float64) bool {
	short, long := min(a, b), max(a, b)
	return long >= Factor*short && long-short >= Seconds
}

// environment compares the properties of the clusters and drivers in two
// reports.
func environment(before, now report.Report) []Difference {
	was, is := values(before), values(now)
	var list []Difference
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if was[name] != is[name] {
			list = append(list, Difference{name, was[name], is[name]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, ok := is[name]; !ok {
			list = append(list, Difference{name, was[name], ""})
		}
	}
	slices.SortFunc(list, func(a, b Difference) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// values returns the properties by name, except those that differ in each run.
func values(r report.Report) map[string]string {
	all := map[string]string{
		"draconform": r.Run.Version, "selection": r.Run.Selection,
		"provider": r.Cluster.Provider, "workers": fmt.Sprint(r.Cluster.Workers),
		"gate set": r.Cluster.GateSet, "scheduler": r.Cluster.Scheduler, "drivers": drivers(r),
	}
	for name, on := range r.Cluster.Gates {
		all["gate "+name] = map[bool]string{true: "on", false: "off"}[on]
	}
	for name, found := range r.Features {
		all["feature "+string(name)] = map[bool]string{true: "present", false: "absent"}[found.Present]
	}
	versions := map[string][]string{}
	for _, c := range r.Cluster.Components {
		text := c.Version
		if c.Emulates != "" {
			text += ", emulates " + c.Emulates
		}
		if c.Image != "" {
			text += ", image " + c.Image
		}
		versions[c.Name] = append(versions[c.Name], text)
	}
	for name, texts := range versions {
		slices.Sort(texts)
		all["component "+name] = strings.Join(slices.Compact(texts), "; ")
	}
	return all
}

// drivers returns the names of the drivers. The part of the run's id is removed
// from the names of fake drivers.
func drivers(r report.Report) string {
	names := slices.Clone(r.Subject.Drivers)
	if i := strings.LastIndexByte(r.Run.ID, '-'); i >= 0 && r.Subject.Installed {
		for n := range names {
			names[n] = strings.Replace(names[n], r.Run.ID[i:]+".", ".", 1)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
