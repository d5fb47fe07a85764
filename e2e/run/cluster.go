// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/engine"
	"github.com/draconform/draconform/clusters/existing"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// cluster is a cluster of a provider.
type cluster interface {
	// create returns the client configuration of the cluster.
	create(ctx context.Context) (*rest.Config, error)
	// logs writes the nodes' logs into a directory, if the provider supports
	// it.
	logs(ctx context.Context, dir string) error
	// remove removes what create created.
	remove(ctx context.Context) error
	// nodes returns access to the nodes, or nil if the run may not access them.
	nodes() operations.Nodes
	// controlPlane returns access to the control plane, or nil if the run may not
	// access it.
	controlPlane() operations.ControlPlane
	// kindName returns the name of the kind cluster if nodes returns access, and
	// is empty otherwise.
	kindName() string
	// another returns what a process of the run needs to start a cluster like this
	// one, or nil if that takes long or is not possible.
	another(ctx context.Context) (*controlPlaneParts, error)
	// watch returns a copy of ctx that ends with a [suite.Ended] when a component of a
	// control plane that the run has started ends by itself. stop ends the watch and
	// returns the component that has ended, or nil.
	watch(ctx context.Context) (_ context.Context, stop func() *suite.Ended)
	// changer returns the changer of the cluster, or nil if the run may not
	// change it.
	changer() operations.Changer
	// owned states that the cluster, and everything in it, is removed with the
	// run.
	owned() bool
	// kubeconfig returns the path of a kubeconfig for the cluster and the
	// context in it.
	kubeconfig() (path, contextName string)
	// describe adds the properties that the provider knows to the report.
	describe(c *report.Cluster)
	// cleanupHint describes how to delete the cluster or objects that the run
	// keeps.
	cleanupHint() string
}

// cluster returns the cluster of the configured provider. Nothing is created.
func (r *runner) cluster(ctx context.Context) (cluster, error) {
	if r.Provider == Existing {
		provider, err := existing.New(r.Kubeconfig, r.Context)
		if err != nil {
			return nil, err
		}
		kindProvider, err := r.findKindProvider(ctx)
		if err != nil {
			return nil, err
		}
		return existingCluster{r, provider, kindProvider}, nil
	}
	if r.Provider == ControlPlane {
		return r.newControlPlane(controlPlaneParts{}), nil
	}
	st := r.Progress.Task("container engine")
	e, err := engine.Find(ctx)
	if err != nil {
		return nil, st.Fail(err)
	}
	if err := CheckRoom(ctx, e, r.Workers); err != nil {
		return nil, st.Fail(fmt.Errorf("%w: %w", ErrConfig, err))
	}
	st.Done(e.Name() + " " + e.Version())
	return &kindCluster{runner: r, engine: e, provider: kind.New(e, kind.Options{
		Name: "draconform-" + r.suffix, Run: r.id, Release: r.release, Workers: r.Workers, Gates: r.gates, Serve: r.Serve, Image: r.NodeImage,
		Images: r.imagesOfSuite(ctx), Scheduler: r.Scheduler, Kubeconfig: filepath.Join(r.dir, "kubeconfig"), Progress: r.Progress,
	})}, nil
}

func absolute(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	return abs
}

// create creates the cluster and the client for it.
func (r *runner) create(ctx context.Context, cl cluster) error {
	config, err := cl.create(ctx)
	if err != nil {
		return err
	}
	return r.connect(config)
}

// remove removes what the run created, unless the run keeps it.
func (r *runner) remove(ctx context.Context, cl cluster) error {
	if r.Keep {
		r.Progress.Printf("%s", cl.cleanupHint())
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	if err := cl.remove(ctx); err != nil {
		return errors.Join(err, fmt.Errorf("objects of the run may remain: delete them with \"draconform clean --run %s\"", r.id))
	}
	return nil
}

// exportLogs writes the nodes' logs next to the report of a run that did not
// pass.
func (r *runner) exportLogs(ctx context.Context, cl cluster) error {
	st := r.Progress.Task("export the nodes' logs")
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
	defer cancel()
	if err := cl.logs(ctx, filepath.Join(r.dir, "nodes")); err != nil {
		return st.Fail(err)
	}
	st.Done("")
	return nil
}
