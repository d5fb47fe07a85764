// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"slices"

	"github.com/draconform/draconform/clusters/existing"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// controlPlaneParts are the programs of a control plane. Two control planes of a run
// have the same ones. Those that are empty are taken from the caches.
type controlPlaneParts struct {
	// Programs is the folder of the programs of Kubernetes and etcd.
	Programs string `json:"programs"`
	// Scheduler is the path of the bundled scheduler, unless the control plane has
	// another one.
	Scheduler string `json:"scheduler,omitempty"`
}

const (
	// fewestApart is the smallest number of specs for which a control plane next to the
	// first is started. Fewer specs end sooner if they follow the others.
	fewestApart = 4
	// manyApart is the smallest number of specs for which two of them are started, so that
	// they do not end long after the others. In a kind cluster, those with containers end
	// later.
	manyApart = 16
)

// divideApart returns the specs that cannot run in parallel with others, as the shares of
// processes with control planes of their own. It returns none if there are few of them or
// if the cluster is the only one.
func (r *runner) divideApart(ctx context.Context, cl cluster, of subject.Subject, runnable []suite.Spec) ([]share, error) {
	if !r.hasWorkers() {
		return nil, nil
	}
	var specs []suite.Spec
	for _, s := range runnable {
		if !canRunInParallel(of, s) && !r.needsTheCluster(s) {
			specs = append(specs, s)
		}
	}
	if len(specs) < fewestApart {
		return nil, nil
	}
	parts, err := cl.another(ctx)
	if parts == nil || err != nil {
		return nil, err
	}
	n := 1
	if r.Provider == ControlPlane && len(specs) >= manyApart && r.Parallel > 2 {
		n = 2
	}
	shares := r.order.together(specs, n)
	for i := range shares {
		shares[i].apart = parts
	}
	return shares, nil
}

// needsTheCluster reports whether a spec needs more of a cluster than its control plane
// and simulated nodes. A kind cluster has the driver of classic DRA, which is started for
// each spec with a control plane.
func (r *runner) needsTheCluster(s suite.Spec) bool {
	ofCluster := []env.Need{env.NeedsNodes, env.NeedsVersions, env.NeedsClassicDriver, env.NeedsNodeAgent}
	if r.Provider == Kind {
		ofCluster = append(ofCluster, env.NeedsClassicAllocator)
	}
	return s.NeedsContainers() || s.Journey != nil || slices.ContainsFunc(s.Needs, func(n env.Need) bool { return n.OfDriver() || slices.Contains(ofCluster, n) })
}

// enterCluster connects a worker to the cluster of its specs and returns what it may do
// there. The cluster is that of the run, unless the worker starts a control plane of its
// own, which it must remove.
func (p workerInput) enterCluster(ctx context.Context, r *runner) (allowed permitted, own *controlPlaneCluster, err error) {
	if p.ControlPlane != nil {
		own = r.newControlPlane(*p.ControlPlane)
		if _, err := own.provider.Create(ctx); err != nil {
			return permitted{}, nil, errors.Join(err, own.removeTemp())
		}
		return accessTo(own), own, r.connect(own.provider.KubernetesRestConfig())
	}
	provider, err := existing.New(p.Kubeconfig, p.Context)
	if err != nil {
		return permitted{}, nil, err
	}
	nodes, err := p.nodes(ctx)
	if err != nil {
		return permitted{}, nil, err
	}
	return permitted{nodes: nodes, owned: p.Owned, onlySimulated: p.Config.Provider == ControlPlane, kubeconfig: p.Kubeconfig}, nil, r.connect(provider.KubernetesRestConfig())
}
