// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"time"

	"github.com/draconform/draconform/clusters/skew"
)

// StepOutcome is the outcome of a step.
type StepOutcome string

// The outcomes of steps.
const (
	// Held means that the assertions of the step held, and that the checked
	// pods and the other objects of the spec were unchanged.
	Held StepOutcome = "held"
	// Broke means that an assertion failed, or that a checked pod or another
	// object of the spec changed.
	Broke StepOutcome = "broke"
	// NotReached means that an earlier step broke.
	NotReached StepOutcome = "not-reached"
)

// StepResult is the result of one step.
type StepResult struct {
	Text    string
	Outcome StepOutcome
	// Started is the start time of the step. It is zero if the step was not
	// reached.
	Started  time.Time
	Duration time.Duration
	// State is the state of the cluster's components at the end of the step, as
	// far as it could be read.
	State skew.State
	// Failed is the change that did not succeed, if the step broke because of
	// it.
	Failed *skew.Want
}
