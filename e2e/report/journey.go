package report

import (
	"slices"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// Journey is the result of a spec that changes the cluster.
type Journey struct {
	// Start is the initial cluster.
	Start journey.InitialCluster `json:"start"`
	// Stops are its parts in order. It is empty if the journey did not begin.
	Stops []Stop `json:"stops,omitempty"`
}

// Stop is a part of a journey.
type Stop struct {
	// Text describes the change and what must hold after it.
	Text    string              `json:"text"`
	Outcome journey.StepOutcome `json:"outcome"`
	// After is the start time in seconds since the spec's start.
	After float64 `json:"after"`
	// Seconds is the duration in seconds.
	Seconds float64 `json:"seconds"`
	// Runs is what the cluster ran at the end of the stop, if it was reached.
	Runs []Runs `json:"runs,omitempty"`
	// Tried are instances that should have been changed by a failed change and
	// were not.
	Tried []Runs `json:"tried,omitempty"`
}

// Runs are instances of a component in the same state.
type Runs struct {
	Component change.Component `json:"component"`
	// Release is the minor release, such as 1.37.
	Release string `json:"release"`
	Gates   string `json:"gates"`
	// Scheduler is the running scheduler, kube-scheduler or draconform.
	Scheduler string `json:"scheduler,omitempty"`
	// Stopped states that the instances are temporarily stopped.
	Stopped bool `json:"stopped,omitempty"`
	Count   int  `json:"count"`
}

// journey returns the journey part of a result, or nil.
func newJourney(r suite.Result) *Journey {
	if r.Spec.Journey == nil {
		return nil
	}
	j := &Journey{Start: r.Spec.Journey.InitialCluster}
	for _, s := range r.JourneySteps {
		stop := Stop{Text: s.Text, Outcome: s.Outcome, Seconds: seconds(s.Duration), Runs: runs(s.State), Tried: tried(s)}
		if !s.Started.IsZero() {
			stop.After = seconds(s.Started.Sub(r.Started))
		}
		j.Stops = append(j.Stops, stop)
	}
	return j
}

// tried returns the instances as a failed change to another release would have
// left them.
func tried(s journey.StepResult) []Runs {
	if s.Failed == nil || s.Failed.Release == (clusters.Release{}) {
		return nil
	}
	var missed change.State
	for _, r := range s.State {
		chosen := len(s.Failed.Components) == 0 || slices.Contains(s.Failed.Components, r.Component)
		if chosen && r.Release != s.Failed.Release {
			r.Release = s.Failed.Release
			missed = append(missed, r)
		}
	}
	return runs(missed)
}

// runs counts instances in the same state.
func runs(state change.State) []Runs {
	var all []Runs
	for _, r := range state {
		one := Runs{Component: r.Component, Release: r.Release.Minor, Gates: r.Gates.Name(), Scheduler: r.Scheduler, Stopped: r.Stopped}
		i := slices.IndexFunc(all, func(r Runs) bool { r.Count = 0; return r == one })
		if i < 0 {
			i, all = len(all), append(all, one)
		}
		all[i].Count++
	}
	return all
}
