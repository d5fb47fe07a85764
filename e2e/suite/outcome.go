// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite

import (
	"slices"
	"time"

	"github.com/draconform/draconform/e2e/suite/journey"
)

// Outcome is the outcome of a spec.
type Outcome string

// The outcomes of specs.
const (
	// Passed means that the cluster has the behaviour.
	Passed Outcome = "passed"
	// Failed means that the cluster lacks the behaviour, or that the spec could
	// not check it.
	Failed Outcome = "failed"
	// Skipped means that the selection excludes the spec, or that the run ended
	// before the spec did.
	Skipped Outcome = "skipped"
	// NotSupported means that the cluster lacks a feature.
	NotSupported Outcome = "not-supported"
	// NotApplicable means that the spec does not apply to the cluster, for
	// example because the cluster is too small or too old, or because the run
	// must not do what the spec needs.
	NotApplicable Outcome = "not-applicable"
)

// ExcludedBySelection is the beginning of the reason of specs that the selection excludes. The
// selection follows.
const ExcludedBySelection = "excluded by the selection"

// Result is the result of one spec.
type Result struct {
	Spec    Spec
	Outcome Outcome
	Reason  string // why the spec did not pass
	// Started is the start time. It is zero if the spec did not run.
	Started  time.Time
	Duration time.Duration
	// FailedAt is the time of the failure. It is zero if the spec did not fail.
	FailedAt time.Time
	// Namespace is the namespace of a spec that failed. It is empty if it had
	// none.
	Namespace string
	// Steps lists the steps of the spec, in order.
	Steps []Step
	// JourneySteps lists the results of the steps of a journey that ran.
	JourneySteps []journey.StepResult
}

// Fails reports whether the result fails the run.
func (r Result) Fails() bool { return r.Outcome == Failed && r.Spec.Level != Provisional }

// Step is a part of a spec. It lasts until the next step begins.
type Step struct {
	Started time.Time
	Text    string
}

// AnyFailed reports whether a spec failed or has no outcome.
func AnyFailed(results []Result) bool {
	return slices.ContainsFunc(results, func(r Result) bool { return r.Outcome == Failed || r.Outcome == "" })
}
