package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/gates"
)

// Journey makes a spec a scenario that changes the cluster while its workloads
// run, step by step. After each step, the kept pods and the other objects of
// the spec must be unchanged (see [Env.Keep]). In one step half-way, the
// scheduler and the controller manager are killed after the first change of the
// step, so that the rest of the step meets their restart.
type Journey struct {
	// Start describes the cluster that the journey starts with.
	Start Start
	// OfSchedulers is set if the journey is about schedulers. A run must then
	// not replace the scheduler of Start by another one.
	OfSchedulers bool
	// Stops returns the steps. It is called once for each run, so that steps
	// can share variables.
	Stops func() []Stop
}

// Start describes the cluster that a journey starts with.
type Start struct {
	// Release is the Kubernetes release of all components, such as 1.36.
	Release string `json:"release"`
	// Gates is a set of feature gates, in the syntax of gates.Parse.
	Gates string `json:"gates"`
	// Scheduler is kube-scheduler or draconform.
	Scheduler string `json:"scheduler"`
	// Workers is the minimum number of worker nodes.
	Workers int `json:"workers"`
}

// Stop is one step of a journey.
type Stop struct {
	// Text describes the action of the step and what must hold afterwards.
	Text string
	// Do runs the action and asserts its result.
	Do func(ctx context.Context, r *JourneyRun)
}

// StopOutcome is the outcome of a step.
type StopOutcome string

// The outcomes of steps.
const (
	// Held means that the assertions of the step held and that everything that
	// is kept is unchanged.
	Held StopOutcome = "held"
	// Broke means that an assertion failed or that something that is kept
	// changed.
	Broke StopOutcome = "broke"
	// NotReached means that an earlier step broke.
	NotReached StopOutcome = "not-reached"
)

// StopResult is the result of one step.
type StopResult struct {
	Text    string
	Outcome StopOutcome
	// Started is the start time of the step. It is zero if the step was not
	// reached.
	Started  time.Time
	Duration time.Duration
	// State is the state of the cluster's components at the end of the step, as
	// far as it could be read.
	State change.State
	// Failed is the change that did not succeed, if the step broke because of
	// it.
	Failed *change.Want
}

// Changer changes the components of a cluster.
type Changer interface {
	// State returns the running components.
	State(ctx context.Context) (change.State, error)
	// Change changes the cluster as wanted, in the order that Kubernetes
	// supports. It returns when all components are ready.
	Change(ctx context.Context, want change.Want) error
	// Stop stops a component of the control plane. Start starts it again and
	// returns when it is ready.
	Stop(ctx context.Context, component change.Component) error
	Start(ctx context.Context, component change.Component) error
	// Kill kills a component, which is then restarted.
	Kill(ctx context.Context, component change.Component) error
	// KillContainer kills the process of a container on a node.
	KillContainer(ctx context.Context, node, id string) error
}

// traveller runs the journey of a spec.
type traveller struct {
	stops   []Stop
	results []StopResult
}

// unlike returns how a cluster differs from the start of a journey, or an empty
// string.
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

// String returns a short description of the cluster.
func (s Start) String() string {
	return fmt.Sprintf("Kubernetes %s with gates %s and scheduler %s", s.Release, s.Gates, s.Scheduler)
}

func newTraveller(j *Journey) *traveller {
	t := &traveller{stops: j.Stops()}
	for _, s := range t.stops {
		t.results = append(t.results, StopResult{Text: s.Text, Outcome: NotReached})
	}
	return t
}

// body runs all steps. A step that fails ends it through Gomega.
func (t *traveller) body(ctx context.Context, r *JourneyRun) {
	// The scheduler and the controller manager may have been killed just
	// before.
	r.Timeouts.Refuse, r.Timeouts.Gone = r.Timeouts.Recover, r.Timeouts.Recover
	for i := range t.stops {
		t.stop(ctx, r, i)
	}
}

func (t *traveller) stop(ctx context.Context, r *JourneyRun, i int) {
	ginkgo.GinkgoHelper()
	s, result := t.stops[i], &t.results[i]
	ginkgo.By(fmt.Sprintf("stop %d of %d: %s", i+1, len(t.stops), s.Text))
	result.Outcome, result.Started = Broke, time.Now()
	defer func() {
		// The state is also recorded for a step that broke or timed out.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.Timeouts.Recover)
		defer cancel()
		result.State, _ = r.Changer.State(ctx)
		result.Failed = r.changing
		result.Duration = time.Since(result.Started)
	}()
	r.interrupt = i == len(t.stops)/2
	s.Do(ctx, r)
	r.interruptOnce(ctx) // for a step without changes
	ginkgo.By("looking whether everything is as it was")
	r.asItWas(ctx, i > 0)
	result.Outcome = Held
}
