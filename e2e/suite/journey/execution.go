// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
)

// Execution runs the journey of a spec.
type Execution struct {
	steps   []Step
	Results []StepResult // one for each step
}

// lastStep follows the steps of each journey. The pods are from before the changes of
// the cluster, or at least from before the last ones.
var lastStep = Step{Text: "all pods are deleted: their claims are freed, and other pods get devices with them", Do: func(ctx context.Context, r *Run) { r.replaceAll(ctx) }}

// NewExecution returns an execution that has not reached any step.
func NewExecution(j *Journey) *Execution {
	x := &Execution{steps: append(j.Steps(), lastStep)}
	for _, s := range x.steps {
		x.Results = append(x.Results, StepResult{Text: s.Text, Outcome: NotReached})
	}
	return x
}

// Run runs all steps. A step that fails ends it through Gomega.
func (x *Execution) Run(ctx context.Context, r *Run) {
	// The scheduler and the controller manager may have been killed just
	// before.
	r.Timeouts.Unschedulable, r.Timeouts.Response, r.Timeouts.Deletion = r.Timeouts.Recovery, r.Timeouts.Recovery, r.Timeouts.Recovery
	for i := range x.steps {
		x.step(ctx, r, i)
	}
}

func (x *Execution) step(ctx context.Context, r *Run, i int) {
	ginkgo.GinkgoHelper()
	s, result := x.steps[i], &x.Results[i]
	ginkgo.By(fmt.Sprintf("step %d of %d: %s", i+1, len(x.steps), s.Text))
	result.Outcome, result.Started = Broke, time.Now()
	defer func() {
		// The state is also recorded for a step that broke or timed out.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.Timeouts.Recovery)
		defer cancel()
		if r.unprovided {
			result.Outcome = NotReached
		}
		result.State, _ = r.Changer.State(ctx)
		result.Failed = r.changing
		result.Duration = time.Since(result.Started)
	}()
	last := len(x.steps) - 1
	r.interrupt = i == last/2
	s.Do(ctx, r)
	r.interruptOnce(ctx) // for a step without changes
	ginkgo.By("checking that workloads and their objects are unchanged")
	r.expectUnchanged(ctx, i > 0 && i < last)
	result.Outcome = Held
}
