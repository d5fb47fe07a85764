// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// DryRun returns what a run would do with each selected spec. It creates no
// objects. It inspects an existing cluster. A cluster of the run is assumed to match
// its release and feature gates. A result without an outcome belongs to a spec
// that would run. Errors about the configuration wrap ErrConfig. Other errors
// state why the cluster could not be inspected.
func DryRun(ctx context.Context, c Config, specs []suite.Spec) ([]suite.Result, error) {
	p, err := c.plan(specs)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrConfig, err)
	}
	r := &runner{plan: p}
	if p.Provider != Existing {
		target, err := r.planned(ctx)
		if err != nil {
			return nil, err
		}
		return suite.DryRun(p.selected, target), nil
	}
	cl, err := r.cluster(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.create(ctx, cl); err != nil {
		return nil, err
	}
	if err := r.inspect(ctx, cl); err != nil {
		return nil, err
	}
	drivers, err := r.drivers(ctx, cl.owned())
	if err != nil {
		return nil, err
	}
	target, err := r.target(ctx, drivers, accessTo(cl))
	if err != nil {
		return nil, err
	}
	return suite.DryRun(p.selected, target), nil
}

// planned returns what specs find in a cluster of the run that does not exist yet.
func (r *runner) planned(ctx context.Context) (env.Target, error) {
	gates := map[string]bool{}
	for _, g := range r.gates.States() {
		gates[g.Name] = g.Enabled
	}
	r.report.Features = features.Expected(features.Known{
		Gates: gates, SharingAffinity: r.sharingAffinity(), Server: "v" + r.release.Version, Served: slices.AppendSeq(slices.Clone(r.Serve), maps.Keys(r.gates.RuntimeConfig())),
	}, r.overrides)
	r.report.Cluster = report.Cluster{
		Workers:    cmp.Or(r.Workers, kind.DefaultWorkers),
		Components: []report.Component{{Name: "kube-apiserver", Version: "v" + r.release.Version, Count: 1}},
	}
	if r.Provider == ControlPlane {
		r.report.Cluster.Workers = 0
		return r.target(ctx, r.fakes(ctx, true), permitted{controlPlane: r.restartable(measured{}), owned: true, onlySimulated: true})
	}
	return r.target(ctx, r.fakes(ctx, true), permitted{nodes: placeholder{}, controlPlane: placeholder{}, owned: true}) // The nodes of a kind cluster will be accessible.
}

// measured is a placeholder for a control plane whose metrics can be read.
type measured struct {
	placeholder
	operations.Metrics
}

// placeholder stands for the nodes and control plane of a cluster that does not
// exist yet.
type placeholder struct {
	operations.Nodes
	operations.ControlPlane
}
