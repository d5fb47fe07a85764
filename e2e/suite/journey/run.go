// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// Run is a journey that runs, in the environment of its spec.
type Run struct {
	*env.Env
	// Changer changes the components of the cluster.
	Changer operations.Changer
	// DetectTarget detects the current state of the cluster.
	DetectTarget func(context.Context) (env.Target, error)
	// SchedulerChanged informs the auditor that another scheduler allocates
	// from now on.
	SchedulerChanged func(audit.Scheduler)
	// AwaitRemoval registers a deleted namespace. The run of the specs waits
	// for its removal at the end.
	AwaitRemoval func(namespace string)

	// checked is what the changes of the journey must not affect.
	checked checked
	// changing is the change that is in progress or that has failed.
	changing *skew.Want
	// unprovided is set if it could not begin.
	unprovided bool
	// interrupt is set if the scheduler and the controller manager are killed
	// after the next change.
	interrupt bool
	// nested counts the specs that were run within the journey.
	nested int
}

// NewRun returns a run with the given fields, which records the objects that
// the journey deletes.
func NewRun(r Run) *Run {
	run := &r
	run.OnDelete = run.checked.forget
	return run
}

// NestedNamespace returns the name of a namespace for the next spec that runs
// within the journey.
func (r *Run) NestedNamespace() string {
	r.nested++
	return fmt.Sprintf("%s-%d", r.Namespace, r.nested)
}
