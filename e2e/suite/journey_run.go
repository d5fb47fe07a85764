package suite

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/e2e/audit"
)

// JourneyRun is a journey that runs. Its environment is that of the spec.
type JourneyRun struct {
	*Env
	// Changer changes the components of the cluster.
	Changer Changer
	// Look detects the current state of the cluster.
	Look func(context.Context) (Situation, error)
	// SchedulerChanged informs the auditor that another scheduler allocates
	// from now on.
	SchedulerChanged func(audit.Scheduler)
	// AwaitRemoval registers a namespace that was deleted, and whose removal is
	// awaited at the end of the run.
	AwaitRemoval func(namespace string)

	// kept is what the changes of the journey must not affect.
	kept kept
	// changing is the change that is in progress or that has failed.
	changing *change.Want
	// interrupt is set if the scheduler and the controller manager are killed
	// after the next change.
	interrupt bool
	// nested counts the specs that were run within the journey.
	nested int
}

// newJourneyRun returns a run that also notices which objects the journey deletes.
func newJourneyRun(r JourneyRun) *JourneyRun {
	run := &r
	run.OnDelete = run.kept.forget
	return run
}

// nestedNamespace returns the name of a namespace for the next spec that runs
// within the journey.
func (r *JourneyRun) nestedNamespace() string {
	r.nested++
	return fmt.Sprintf("%s-%d", r.Namespace, r.nested)
}
