// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report

import (
	"slices"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// Journey is the result of a spec that changes the cluster.
type Journey struct {
	// Start is the initial cluster.
	Start journey.InitialCluster `json:"start"`
	// Steps are its steps in order. It is empty if the journey did not begin.
	Steps []JourneyStep `json:"stops,omitempty"`
}

// JourneyStep is a step of a journey.
type JourneyStep struct {
	// Text describes the change and what must hold after it.
	Text    string              `json:"text"`
	Outcome journey.StepOutcome `json:"outcome"`
	// After is the start time in seconds since the spec's start.
	After float64 `json:"after"`
	// Seconds is the duration in seconds.
	Seconds float64 `json:"seconds"`
	// Instances are the running components at the end of the step, if it was
	// reached.
	Instances []Instances `json:"runs,omitempty"`
	// Attempted are the instances that a failed change should have changed, in
	// the state that it should have reached.
	Attempted []Instances `json:"tried,omitempty"`
}

// Instances are instances of a component in the same state.
type Instances struct {
	Component skew.Component `json:"component"`
	// Release is the minor release, such as 1.37.
	Release string `json:"release"`
	Gates   string `json:"gates"`
	// Scheduler is the running scheduler, kube-scheduler or draconform.
	Scheduler string `json:"scheduler,omitempty"`
	// Stopped states that the instances are temporarily stopped.
	Stopped bool `json:"stopped,omitempty"`
	Count   int  `json:"count"`
}

// newJourney returns the journey part of a result, or nil.
func newJourney(r suite.Result) *Journey {
	if r.Spec.Journey == nil {
		return nil
	}
	j := &Journey{Start: r.Spec.Journey.InitialCluster}
	for _, s := range r.JourneySteps {
		step := JourneyStep{Text: s.Text, Outcome: s.Outcome, Seconds: seconds(s.Duration), Instances: instances(s.State), Attempted: attempted(s)}
		if !s.Started.IsZero() {
			step.After = seconds(s.Started.Sub(r.Started))
		}
		j.Steps = append(j.Steps, step)
	}
	return j
}

// attempted returns the instances as a failed change to another release would
// have left them.
func attempted(s journey.StepResult) []Instances {
	if s.Failed == nil || s.Failed.Release == (clusters.Release{}) {
		return nil
	}
	var missed skew.State
	for _, r := range s.State {
		chosen := len(s.Failed.Components) == 0 || slices.Contains(s.Failed.Components, r.Component)
		if chosen && r.Release != s.Failed.Release {
			r.Release = s.Failed.Release
			missed = append(missed, r)
		}
	}
	return instances(missed)
}

// instances counts instances in the same state.
func instances(state skew.State) []Instances {
	var all []Instances
	for _, r := range state {
		one := Instances{Component: r.Component, Release: r.Release.Minor, Gates: r.Gates.Name(), Scheduler: r.Scheduler, Stopped: r.Stopped}
		i := slices.IndexFunc(all, func(r Instances) bool { r.Count = 0; return r == one })
		if i < 0 {
			i, all = len(all), append(all, one)
		}
		all[i].Count++
	}
	return all
}
