// Package compare tells what differs between two runs.
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

// Specs that passed in both runs have a different time if one is at least
// Factor times the other, and at least Seconds longer: everything below happens
// by itself.
const (
	Factor  = 1.5
	Seconds = 5.0
)

// Comparison is what differs between two runs. Lists of specs have the order of
// the runs.
type Comparison struct {
	Before, Now report.Report
	// Outcomes are the specs that are in both runs with different outcomes.
	Outcomes []Spec
	// Times are the specs that passed in both and took much longer or shorter.
	Times []Spec
	// New are only in the second run, Gone only in the first.
	New, Gone []report.Spec
	// Judged is what else differs: the cluster, the drivers, draconform.
	Judged []Difference
}

// Spec is a spec in both runs.
type Spec struct{ Before, Now report.Spec }

// Difference is something that has another value in the second run. Empty means
// that it is not there.
type Difference struct{ Name, Before, Now string }

// Runs compares two runs.
func Runs(before, now report.Report) Comparison {
	c := Comparison{Before: before, Now: now, Judged: judged(before, now)}
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
			c.Gone = append(c.Gone, s)
		}
	}
	return c
}

// Broken are the specs that passed and now fail.
func (c Comparison) Broken() []Spec {
	var broken []Spec
	for _, s := range c.Outcomes {
		if s.Before.Outcome == suite.Passed && s.Now.Outcome == suite.Failed {
			broken = append(broken, s)
		}
	}
	return broken
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

// judged compares all that the reports say of what was judged.
func judged(before, now report.Report) []Difference {
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

// values are what was judged, by name. What each run names anew is left out.
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

// drivers are the names without the part of the run's id that those of the
// suite's own drivers have.
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
