// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

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
	// Asks states that other workers have the same specs: the worker asks before each
	// of them, and reads a workerAnswer after this input.
	Asks bool `json:"asks,omitempty"`
	// Node is the only node that the specs use and may restart. Empty means that
	// they use any, and restart none.
	Node string `json:"node,omitempty"`
	// KindCluster is the name of the cluster if its nodes can be restarted.
	KindCluster string `json:"kindCluster,omitempty"`
	// ClassicProgram is the controller of classic DRA for the cluster's legacy release, if
	// specs need it.
	ClassicProgram string `json:"classicProgram,omitempty"`
	// ControlPlane has the parts of a control plane that the worker starts for the
	// specs. Kubeconfig and Context are not used then. Nil means the run's cluster.
	ControlPlane *controlPlaneParts `json:"controlPlane,omitempty"`
}

// Worker runs specs of a run that another process has begun. It reads the
// specs and the run from in and writes the results to out, both as JSON. See
// [Config.Worker].
func Worker(ctx context.Context, in io.Reader, out io.Writer, specs []suite.Spec) (err error) {
	var p workerInput
	input := json.NewDecoder(in)
	if err := input.Decode(&p); err != nil {
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
	specs, run := p.specsOf(specs), conversation{input, json.NewEncoder(out)}
	if own == nil {
		return r.runForOther(ctx, p, allowed, specs, run)
	}
	ctx, unwatch := own.watch(ctx)
	err = r.runForOther(ctx, p, allowed, specs, run)
	ended := unwatch()
	if ended != nil && !ended.Elsewhere {
		run.tell(workerResult{Ended: ended})
	}
	return withEnded(err, ended)
}

// specsOf returns the specs of the worker, in the order of all specs. Those that other
// workers have, too, are in the order of the input, so that the longest come first.
func (p workerInput) specsOf(all []suite.Spec) []suite.Spec {
	specs := slices.DeleteFunc(slices.Clone(all), func(s suite.Spec) bool { return !slices.Contains(p.Specs, s.ID) })
	if p.Asks {
		slices.SortFunc(specs, func(a, b suite.Spec) int {
			return cmp.Compare(slices.Index(p.Specs, a.ID), slices.Index(p.Specs, b.ID))
		})
	}
	return specs
}

// runForOther runs the specs of a worker and writes their results.
func (r *runner) runForOther(ctx context.Context, p workerInput, allowed permitted, specs []suite.Spec, out conversation) (err error) {
	drivers, err := r.drivers(ctx, p.Owned)
	if err != nil {
		return err
	}
	if err := drivers.use(ctx, specs); err != nil {
		return err
	}
	r.specs, r.selected = specs, specs
	target, err := r.target(ctx, drivers, allowed)
	if err != nil {
		return err
	}
	c := r.suiteOptions(target)
	c.Node = p.Node
	ctx, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	leave, err := r.enter(ctx, lost)
	if err != nil {
		return err
	}
	defer func() {
		removed := inParallel([]func() error{leave, func() error { return drivers.restore(ctx) }})
		err = errors.Join(err, r.notRemoved(p.Owned, p.Context, removed))
	}()
	written := map[string]bool{}
	finish := func(r suite.Result, _, _ int) {
		written[r.Spec.ID] = true
		out.tell(newWorkerResult(r))
	}
	c.Finished = finish
	c.Started = func(s suite.Spec, _, _ int) { out.tell(workerResult{ID: s.ID, Begins: true}) }
	if p.Asks {
		c.Takes = out.takes
	}
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
