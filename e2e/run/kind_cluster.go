// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/clusters/nodeimage"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// kindCluster is a cluster that the run creates, or takes from another journey, and
// removes, or leaves to another one.
type kindCluster struct {
	*runner
	engine   *engine.Engine
	provider *kind.Provider
}

func (k *kindCluster) create(ctx context.Context) (*rest.Config, error) {
	if k.taken != nil {
		return k.take(ctx)
	}
	if err := k.expect(ctx); err != nil {
		return nil, err
	}
	if _, err := k.provider.Create(ctx); err != nil {
		return nil, err
	}
	return k.provider.KubernetesRestConfig(), nil
}

func (k *kindCluster) logs(ctx context.Context, dir string) error {
	return k.provider.ExportLogs(ctx, dir)
}

// allowsAnother reports whether specs may run on a control plane next to the cluster. A
// user who keeps the cluster finds all objects there, and an image or a scheduler of the
// user's is only there.
func (k *kindCluster) allowsAnother() bool {
	return !k.Keep && k.NodeImage == "" && k.SchedulerName == ""
}

func (k *kindCluster) nodes() operations.Nodes { return k.provider }

func (k *kindCluster) controlPlane() operations.ControlPlane { return k.provider }

func (k *kindCluster) kindName() string { return k.provider.Name() }

// another implements [cluster]. The programs are those of the node image, unless they
// would have to be built first.
func (k *kindCluster) another(ctx context.Context) (*controlPlaneParts, error) {
	if !k.allowsAnother() {
		return nil, nil
	}
	atHand, err := nodeimage.ProgramsAtHand(ctx, nodeimage.Options{Release: k.release})
	if !atHand || err != nil {
		return nil, err
	}
	return &controlPlaneParts{}, nil
}

// watch implements [cluster]. The kubelet restarts the components of the cluster.
func (k *kindCluster) watch(ctx context.Context) (context.Context, func() *suite.Ended) {
	return ctx, watchesNothing
}

func (k *kindCluster) changer() operations.Changer { return k.newChanger(k.provider) }

func (k *kindCluster) owned() bool { return true }

func (k *kindCluster) kubeconfig() (path, contextName string) {
	return k.provider.GetKubeconfig(), k.provider.GetKubectlContext()
}

func (k *kindCluster) remove(ctx context.Context) error {
	st := k.Progress.Task("remove cluster %s", k.provider.Name())
	if err := k.provider.Destroy(ctx); err != nil {
		return st.Fail(err)
	}
	st.Done("")
	return nil
}

func (k *kindCluster) describe(c *report.Cluster) {
	c.Provider, c.Name, c.GateSet, c.Scheduler = Kind, k.provider.Name(), k.gates.Name(), k.Scheduler
}

func (k *kindCluster) cleanupHint() string {
	return fmt.Sprintf("kept cluster %s\n  use it:    export KUBECONFIG=%s\n  delete it: draconform cluster delete %s", k.provider.Name(), absolute(k.provider.GetKubeconfig()), k.provider.Name())
}

// findKindProvider returns the provider of an existing cluster that draconform
// created, or nil for other clusters.
func (r *runner) findKindProvider(ctx context.Context) (*kind.Provider, error) {
	if r.KindCluster == "" {
		return nil, nil
	}
	e, err := engine.Find(ctx)
	if err != nil {
		return nil, err
	}
	return kind.Find(ctx, e, r.KindCluster, r.Kubeconfig)
}
