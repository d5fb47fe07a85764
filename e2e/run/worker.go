// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// workerInput describes the specs of a run that one process runs, and the run.
type workerInput struct {
	Config Config `json:"config"`
	// Process numbers the run's processes from 1. The first is the run itself.
	Process int `json:"process"`
	// ID and Suffix are the run's.
	ID     string `json:"id"`
	Suffix string `json:"suffix"`
	Dir    string `json:"dir"`
	// Kubeconfig and Context select the cluster, which may be owned by the run.
	Kubeconfig string `json:"kubeconfig"`
	Context    string `json:"context"`
	Owned      bool   `json:"owned"`
	// Cluster and Features are the detected properties of the cluster.
	Cluster  report.Cluster `json:"cluster"`
	Features features.Set   `json:"features"`
	// Specs are the ids of the specs to run.
	Specs []string `json:"specs"`
	// Node is the only node that the specs use and may restart. Empty means that
	// they use any, and restart none.
	Node string `json:"node,omitempty"`
	// KindCluster is the name of the cluster if its nodes can be restarted.
	KindCluster string `json:"kindCluster,omitempty"`
	// ClassicProgram is the controller of classic DRA for Kubernetes 1.30, if specs need
	// it.
	ClassicProgram string `json:"classicProgram,omitempty"`
	// ControlPlane has the parts of a control plane that the worker starts for the
	// specs. Kubeconfig and Context are not used then. Nil means the run's cluster.
	ControlPlane *controlPlaneParts `json:"controlPlane,omitempty"`
}

// workerResult is the result of a spec, which a worker writes as a line of JSON
// as soon as the spec finishes. Another line comes when the spec begins.
type workerResult struct {
	ID string `json:"id"`
	// Begins states that the spec begins. It has no result yet.
	Begins   bool          `json:"begins,omitempty"`
	Outcome  suite.Outcome `json:"outcome"`
	Reason   string        `json:"reason,omitempty"`
	Started  time.Time     `json:"started"`
	Duration time.Duration `json:"duration"`
	Steps    []suite.Step  `json:"steps,omitempty"`
	// FailedAt and Namespace are those of the failure.
	FailedAt  time.Time `json:"failedAt,omitzero"`
	Namespace string    `json:"namespace,omitempty"`
	// Ended states that a component of the worker's control plane has ended. There is no
	// spec then.
	Ended *suite.Ended `json:"ended,omitempty"`
}

// Worker runs specs of a run that another process has begun. It reads the
// specs and the run from in and writes the results to out, both as JSON. See
// [Config.Worker].
func Worker(ctx context.Context, in io.Reader, out io.Writer, specs []suite.Spec) (err error) {
	var p workerInput
	if err := json.NewDecoder(in).Decode(&p); err != nil {
		return fmt.Errorf("read which specs to run: %w", err)
	}
	r, err := p.runner()
	if err != nil {
		return err
	}
	ctx, stop := p.toldWhy(ctx)
	defer stop()
	allowed, own, err := p.enterCluster(ctx, r)
	if own != nil {
		defer func() { err = errors.Join(err, r.remove(ctx, own)) }()
	}
	if err != nil {
		return err
	}
	specs = slices.DeleteFunc(slices.Clone(specs), func(s suite.Spec) bool { return !slices.Contains(p.Specs, s.ID) })
	encoder := json.NewEncoder(out)
	if own == nil {
		return r.runForOther(ctx, p, allowed, specs, encoder)
	}
	ctx, unwatch := own.watch(ctx)
	err = r.runForOther(ctx, p, allowed, specs, encoder)
	ended := unwatch()
	if ended != nil && !ended.Elsewhere {
		_ = encoder.Encode(workerResult{Ended: ended})
	}
	return withEnded(err, ended)
}

// runForOther runs the specs of a worker and writes their results.
func (r *runner) runForOther(ctx context.Context, p workerInput, allowed permitted, specs []suite.Spec, out *json.Encoder) (err error) {
	drivers, err := r.drivers(ctx, p.Owned)
	if err != nil {
		return err
	}
	drivers.use(specs)
	r.specs, r.selected = specs, specs
	target, err := r.target(ctx, drivers, allowed)
	if err != nil {
		return err
	}
	c := r.suiteOptions(target)
	c.Node = p.Node
	ctx, leave, err := r.enter(ctx)
	if err != nil {
		return err
	}
	var removals []error
	defer func() { err = errors.Join(err, r.notRemoved(p.Owned, p.Context, removals...)) }()
	defer func() { removals = append(removals, leave()) }()
	defer func() { removals = append(removals, drivers.restore(ctx)) }()
	written := map[string]bool{}
	finish := func(r suite.Result, _, _ int) {
		written[r.Spec.ID] = true
		// A failed write is ignored: the reader has stopped reading.
		_ = out.Encode(workerResult{
			ID: r.Spec.ID, Outcome: r.Outcome, Reason: r.Reason, Started: r.Started, Duration: r.Duration, Steps: r.Steps,
			FailedAt: r.FailedAt, Namespace: r.Namespace,
		})
	}
	c.Finished = finish
	c.Started = func(s suite.Spec, _, _ int) { _ = out.Encode(workerResult{ID: s.ID, Begins: true}) }
	planned, err := suite.New(c)
	if err != nil {
		return err
	}
	results, err := planned.Run(ctx, nil)
	for _, r := range results {
		if !written[r.Spec.ID] {
			finish(r, 0, 0)
		}
	}
	return err
}

// runner returns the run that the worker belongs to.
func (p workerInput) runner() (*runner, error) {
	checked, err := p.Config.validate()
	if err != nil {
		return nil, err
	}
	checked.id, checked.suffix = p.ID, p.Suffix
	r := &runner{plan: checked, dir: p.Dir, worker: p.Process, classicProgram: p.ClassicProgram}
	r.report.Cluster, r.report.Features = p.Cluster, p.Features
	return r, nil
}

// readResults reads the results that a worker writes and passes them on.
func readResults(from io.Reader, record func(workerResult)) error {
	decoder := json.NewDecoder(from)
	for {
		var f workerResult
		err := decoder.Decode(&f)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the results of a worker: %w", err)
		}
		record(f)
	}
}
