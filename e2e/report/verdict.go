// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/suite"
)

// Result is a verdict in one word.
type Result string

// The results of a verdict.
const (
	Passed Result = "passed"
	Failed Result = "failed"
	// Incomplete: the run ended before every selected spec had an outcome.
	Incomplete Result = "incomplete"
	// NothingDecided: no core or extended spec passed, and nothing fails the run.
	NothingDecided Result = "undecided"
)

// Succeeds reports whether a run with this result has the exit status 0.
func (r Result) Succeeds() bool { return r == Passed || r == NothingDecided }

// Rule is the rule of the verdict.
const Rule = "A run passes if every selected spec has an outcome, none failed, and none of a claimed profile was skipped. It is undecided " +
	"instead if no core or extended spec passed. It fails if the scheduler that it has started ends by itself. A spec that the cluster does not support, or that is not applicable to it, does not " +
	"fail the run. A profile is conformant if all of its core specs passed, and none of its specs failed or was skipped. Provisional " +
	"specs have no effect."

// Verdict is the result of a run and its basis.
type Verdict struct {
	Result Result `json:"result"`
	// Counts are the numbers of core and extended specs with each outcome.
	Counts map[suite.Outcome]int `json:"counts"`
	// Profiles are the profiles of all specs, in the order of their first spec.
	Profiles []Profile `json:"profiles,omitempty"`
	// Provisional are the provisional specs that ran, if any.
	Provisional *Provisional `json:"provisional,omitempty"`
	// Ended is the component of a control plane of the run that has ended by itself, and
	// with it the run.
	Ended *Ended `json:"ended,omitempty"`
	// Problem states why a run is incomplete.
	Problem string `json:"problem,omitempty"`
	Rule    string `json:"rule"`
}

// Provisional are the ids of provisional specs by their outcome.
type Provisional struct {
	Passed []string `json:"passed,omitempty"`
	Failed []string `json:"failed,omitempty"`
}

// Ended describes the end of a component.
type Ended struct {
	// Component is its name, such as kube-scheduler.
	Component string `json:"component"`
	// Result is how it has ended, such as "exit status 2".
	Result string `json:"result"`
}

// NewVerdict returns the verdict of a run that claims profiles. problem is the
// error that ended the run early, or nil.
func NewVerdict(results []suite.Result, claimNames []string, problem error) Verdict {
	v := Verdict{Result: Passed, Counts: map[suite.Outcome]int{}, Provisional: newProvisional(results), Rule: Rule}
	var names []string
	profiles := map[string][]suite.Result{}
	for _, r := range results {
		if r.Spec.Level == suite.Provisional {
			continue
		}
		v.Counts[r.Outcome]++
		if profiles[r.Spec.Profile] == nil {
			names = append(names, r.Spec.Profile)
		}
		profiles[r.Spec.Profile] = append(profiles[r.Spec.Profile], r)
	}
	incomplete := problem != nil || v.Counts[""] > 0 || len(results) == 0
	for _, name := range names {
		v.Profiles = append(v.Profiles, newProfile(name, profiles[name], slices.Contains(claimNames, name), incomplete))
	}
	ended, hasEnded := errors.AsType[*suite.Ended](problem)
	switch {
	case v.Counts[suite.Failed] > 0, hasEnded && ended.Tested:
		v.Result = Failed
	case incomplete:
		v.Result = Incomplete
	case len(v.notConformant()) > 0:
		v.Result = Failed
	case v.Counts[suite.Passed] == 0:
		v.Result = NothingDecided
	}
	if problem != nil {
		v.Problem = problem.Error()
	}
	if hasEnded {
		v.Ended = &Ended{Component: ended.Component, Result: ended.Result}
	}
	return v
}

// newProvisional returns nil if no provisional spec ran.
func newProvisional(results []suite.Result) *Provisional {
	var p Provisional
	for _, r := range results {
		switch {
		case r.Spec.Level != suite.Provisional:
		case r.Outcome == suite.Passed:
			p.Passed = append(p.Passed, r.Spec.ID)
		case r.Outcome == suite.Failed:
			p.Failed = append(p.Failed, r.Spec.ID)
		}
	}
	if len(p.Passed)+len(p.Failed) == 0 {
		return nil
	}
	return &p
}

// notConformant returns the names of the profiles that are not conformant.
func (v Verdict) notConformant() []string {
	var names []string
	for _, p := range v.Profiles {
		if p.Result == NotConformant {
			names = append(names, p.Name)
		}
	}
	return names
}

// String returns the verdict in one line.
func (v Verdict) String() string {
	if summary := v.Summary(); summary != "" {
		return string(v.Result) + ": " + summary
	}
	return string(v.Result)
}

// Summary returns the basis of the result in one line, which may be empty.
func (v Verdict) Summary() string {
	var parts []string
	if counts := counted(v.Counts); counts != "" {
		parts = append(parts, counts)
	}
	switch {
	case v.Provisional == nil && v.Result == NothingDecided:
		parts = append(parts, "nothing was tested")
	case v.Result == NothingDecided:
		parts = append(parts, "only provisional specs were tested: "+v.Provisional.String())
	case v.Provisional != nil:
		parts = append(parts, "provisional: "+v.Provisional.String())
	}
	if v.Ended != nil {
		parts = append(parts, v.Ended.Component+" has ended: "+v.Ended.Result)
	}
	if names := v.notConformant(); len(names) > 0 {
		parts = append(parts, "not conformant: "+strings.Join(names, ", "))
	}
	return strings.Join(parts, "; ")
}

// String returns how many provisional specs passed and failed.
func (p Provisional) String() string {
	return counted(map[suite.Outcome]int{suite.Passed: len(p.Passed), suite.Failed: len(p.Failed)})
}

// counted returns the number of specs with each outcome.
func counted(counts map[suite.Outcome]int) string {
	var all []string
	for _, o := range []suite.Outcome{suite.Passed, suite.Failed, suite.Skipped, suite.NotSupported, suite.NotApplicable} {
		if n := counts[o]; n > 0 {
			all = append(all, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(all, ", ")
}
