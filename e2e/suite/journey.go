package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/gates"
)

// Journey makes a spec one that changes the cluster under its workloads, one
// stop after the other. After each of them all that is kept must be as it was
// (see [Env.Keep]). Half-way, the scheduler and the controller manager are killed:
// after the first change of a stop, so that what follows meets their restart.
type Journey struct {
	// Start is the cluster that it begins in.
	Start Start
	// OfSchedulers says that it is about schedulers, and begins with no other.
	OfSchedulers bool
	// Stops returns what it does. It is called once for a run, so that stops can
	// share what they find out.
	Stops func() []Stop
}

// Start describes a cluster that a journey begins in.
type Start struct {
	// Release of all components, such as 1.36.
	Release string `json:"release"`
	// Gates is a set of feature gates, as gates.Parse names it.
	Gates string `json:"gates"`
	// Scheduler is kube-scheduler or draconform.
	Scheduler string `json:"scheduler"`
	// Workers is the number of worker nodes.
	Workers int `json:"workers"`
}

// Stop is a part of a journey.
type Stop struct {
	// Text says what is done and what must hold then.
	Text string
	// Do does it, and asserts what the stop is about.
	Do func(ctx context.Context, e *Env)
}

// StopOutcome is what came out of a stop.
type StopOutcome string

// The outcomes of stops.
const (
	// Held: what the stop is about is so, and all that is kept is as it was.
	Held StopOutcome = "held"
	// Broke: it is not.
	Broke StopOutcome = "broke"
	// NotReached: an earlier stop broke.
	NotReached StopOutcome = "not-reached"
)

// StopResult is what came out of one stop.
type StopResult struct {
	Text    string
	Outcome StopOutcome
	// Started is when it began; zero if it was not reached.
	Started  time.Time
	Duration time.Duration
	// State is what the cluster ran at its end, as far as that could be told.
	State change.State
	// Failed is the change that did not succeed, if that is why the stop broke.
	Failed *change.Want
}

// Changer changes what a cluster runs.
type Changer interface {
	// State reads what runs.
	State(ctx context.Context) (change.State, error)
	// Change brings the cluster to what is wanted, in the order that Kubernetes
	// supports, and returns when everything is ready.
	Change(ctx context.Context, want change.Want) error
	// Stop stops a component of the control plane, and Start starts it again and
	// returns when it is ready.
	Stop(ctx context.Context, component change.Component) error
	Start(ctx context.Context, component change.Component) error
	// Kill ends a component without warning, which is then started again.
	Kill(ctx context.Context, component change.Component) error
	// KillContainer ends the process of a container on a node without warning.
	KillContainer(ctx context.Context, node, id string) error
}

// traveller runs the journey of a spec.
type traveller struct {
	changer Changer
	stops   []Stop
	results []StopResult
}

// unlike says how a cluster differs from what a journey begins in, or nothing.
func (s Start) unlike(there Situation) string {
	if there.Changer == nil {
		return "changes what the cluster runs, which only a cluster of the run's own allows"
	}
	for _, r := range there.State {
		wanted, err := gates.Parse(s.Gates, r.Release)
		switch {
		case err != nil || r.Release.Minor != s.Release || !r.Gates.Equal(wanted):
			return fmt.Sprintf("begins in %s, and here %s runs %s with gates %s", s, r.Instance, r.Release.Minor, r.Gates.Name())
		case r.Component == change.Scheduler && r.Scheduler != s.Scheduler:
			return fmt.Sprintf("begins in %s, and here the scheduler is %s", s, r.Scheduler)
		}
	}
	if there.Workers < s.Workers {
		return fmt.Sprintf("needs %d worker nodes, the cluster has %d", s.Workers, there.Workers)
	}
	return ""
}

// String is the cluster in a few words.
func (s Start) String() string {
	return fmt.Sprintf("Kubernetes %s with gates %s and scheduler %s", s.Release, s.Gates, s.Scheduler)
}

func newTraveller(j *Journey, changer Changer) *traveller {
	t := &traveller{changer: changer, stops: j.Stops()}
	for _, s := range t.stops {
		t.results = append(t.results, StopResult{Text: s.Text, Outcome: NotReached})
	}
	return t
}

// body goes from stop to stop. A stop that fails ends it, through Gomega.
func (t *traveller) body(ctx context.Context, e *Env) {
	// What schedules and what gives back may have been killed just before.
	e.Timeouts.Refuse, e.Timeouts.Gone = e.Timeouts.Recover, e.Timeouts.Recover
	for i := range t.stops {
		t.stop(ctx, e, i)
	}
}

func (t *traveller) stop(ctx context.Context, e *Env, i int) {
	ginkgo.GinkgoHelper()
	s, result := t.stops[i], &t.results[i]
	ginkgo.By(fmt.Sprintf("stop %d of %d: %s", i+1, len(t.stops), s.Text))
	result.Outcome, result.Started = Broke, time.Now()
	defer func() {
		// Also of a stop that broke, or that took too long, if it can be told.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), e.Timeouts.Recover)
		defer cancel()
		result.State, _ = t.changer.State(ctx)
		result.Failed = e.changing
		result.Duration = time.Since(result.Started)
	}()
	e.interrupt = i == len(t.stops)/2
	s.Do(ctx, e)
	e.interruptOnce(ctx) // of a stop that changes nothing
	ginkgo.By("looking whether everything is as it was")
	e.asItWas(ctx, t.changer, i > 0)
	result.Outcome = Held
}
