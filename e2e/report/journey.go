package report

import (
	"slices"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/e2e/suite"
)

// Journey is what came out of a spec that changes the cluster.
type Journey struct {
	// Start is the cluster that it begins in.
	Start suite.Start `json:"start"`
	// Stops are its parts, in order; none if it did not begin.
	Stops []Stop `json:"stops,omitempty"`
}

// Stop is a part of a journey.
type Stop struct {
	// Text says what was done and what must hold then.
	Text    string            `json:"text"`
	Outcome suite.StopOutcome `json:"outcome"`
	// After is when it began, in seconds from the spec's start.
	After float64 `json:"after"`
	// Seconds is how long it took.
	Seconds float64 `json:"seconds"`
	// Runs is what the cluster ran at its end, if it got there.
	Runs []Runs `json:"runs,omitempty"`
	// Tried are instances that should have run something else then, and did not.
	Tried []Runs `json:"tried,omitempty"`
}

// Runs are instances of a component that run the same.
type Runs struct {
	Component change.Component `json:"component"`
	// Release is the minor one, such as 1.37.
	Release string `json:"release"`
	Gates   string `json:"gates"`
	// Scheduler is which one runs, kube-scheduler or draconform.
	Scheduler string `json:"scheduler,omitempty"`
	// Stopped says that it is, for the time being.
	Stopped bool `json:"stopped,omitempty"`
	Count   int  `json:"count"`
}

// journey is a result's part about its journey, or nil.
func journey(r suite.Result) *Journey {
	if r.Spec.Journey == nil {
		return nil
	}
	j := &Journey{Start: r.Spec.Journey.Start}
	for _, s := range r.Stops {
		stop := Stop{Text: s.Text, Outcome: s.Outcome, Seconds: seconds(s.Duration), Runs: runs(s.State), Tried: tried(s)}
		if !s.Started.IsZero() {
			stop.After = seconds(s.Started.Sub(r.Started))
		}
		j.Stops = append(j.Stops, stop)
	}
	return j
}

// tried is where a change to another release would have led that did not succeed.
func tried(s suite.StopResult) []Runs {
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

// runs counts instances that run the same.
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
