// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package guest lets a run share a cluster with other workloads: it has the
// namespace of the run, and finds out whether neighbours leave a spec the
// devices that it needs.
package guest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// Config configures a [Guest].
type Config struct {
	Client kubernetes.Interface
	// Namespace is the namespace of all specs.
	Namespace string
	// Given is set if the namespace existed before the run. It is then neither
	// created nor deleted, and only one run at a time uses it.
	Given bool
	// RunID identifies the run.
	RunID string
	// Labels are on all objects of the run.
	Labels map[string]string
	// Architectures are those of the workload image. Empty means that they are
	// not known.
	Architectures []string
	Subject       subject.Subject
	// Workload is the workload image.
	Workload string
	// Scheduler is the name of the pods' scheduler. Empty means the default
	// scheduler.
	Scheduler string
	Timeouts  env.Timeouts
	// Waiting, if set, is called if another run uses a given namespace.
	Waiting func(holder string)

	// lease has the times of the lease. They are zero except in tests.
	lease leaseTimes
}

// ErrUnclean is wrapped by errors about the objects of an earlier spec that
// could not be removed.
var ErrUnclean = errors.New("objects of an earlier spec remain")

// Guest is a run among other workloads.
type Guest struct {
	config Config
	// namespace is the current one. created lists those that the run created.
	namespace string
	created   []string
	lease     *lease
	// unclean states which objects of an earlier spec are in the namespace.
	unclean error
	// usable are the nodes that the current spec could use when it began.
	usable []string
	// inVain has the state of the nodes for devices that a spec has waited for in
	// vain.
	inVain map[string]string
}

// New returns a guest that is not in the cluster yet.
func New(c Config) *Guest {
	return &Guest{config: c, namespace: c.Namespace, inVain: map[string]string{}}
}

// Open creates the namespace of the run. A given namespace must exist, and Open
// waits until no other run uses it. If Open fails, nothing of the run is in the
// cluster. lost is called if another run may have taken over a given namespace,
// because the API server was not reachable for a while.
func (g *Guest) Open(ctx context.Context, lost context.CancelCauseFunc) error {
	c := g.config
	if !c.Given {
		if err := g.create(ctx, c.Namespace); err != nil {
			return errors.Join(err, g.Close(context.WithoutCancel(ctx)))
		}
		return nil
	}
	if _, err := c.Client.CoreV1().Namespaces().Get(ctx, c.Namespace, metav1.GetOptions{}); err != nil {
		return fmt.Errorf("get the given namespace: %w", err)
	}
	var err error
	g.lease, err = acquire(ctx, c, lost)
	return err
}

// Info returns what specs have to know about the guest.
func (g *Guest) Info() *env.Guest {
	return &env.Guest{GivenNamespace: g.config.Given, Architectures: g.config.Architectures}
}

// Namespace returns the namespace of the next spec. If objects of the previous
// spec remain, this is another one than before. A given namespace cannot be
// replaced: Namespace returns an error until the objects are removed.
func (g *Guest) Namespace(ctx context.Context) (string, error) {
	if g.unclean == nil {
		return g.namespace, nil
	}
	if !g.config.Given {
		if err := g.create(ctx, fmt.Sprintf("%s-%d", g.config.Namespace, len(g.created)+1)); err != nil {
			return "", err
		}
		g.unclean = nil
		return g.namespace, nil
	}
	left, err := g.remaining(ctx)
	if err != nil {
		return "", err
	}
	if len(left) > 0 {
		return "", fmt.Errorf("%w in namespace %s: %w", ErrUnclean, g.namespace, g.unclean)
	}
	g.unclean = nil
	return g.namespace, nil
}

// CleanedUp records the result of the removal of a spec's objects.
func (g *Guest) CleanedUp(err error) { g.unclean = err }

// Leave lets other runs use a given namespace, and removes nothing.
func (g *Guest) Leave(ctx context.Context) error {
	if g.lease == nil {
		return nil
	}
	return g.lease.release(ctx)
}

// Close removes what is left of the run, after Open has succeeded. It deletes the
// namespaces that the run created. In a given namespace it deletes the objects of the run.
func (g *Guest) Close(ctx context.Context) error {
	if !g.config.Given {
		var errs []error
		for _, name := range g.created {
			if err := g.config.Client.CoreV1().Namespaces().Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
				errs = append(errs, fmt.Errorf("delete namespace %s: %w", name, err))
			}
		}
		return errors.Join(append(errs, namespaces.WaitForDeleted(ctx, g.config.Client, g.created, g.config.Timeouts.Deletion))...)
	}
	err := namespaces.DeleteSelected(ctx, g.config.Client, g.namespace, g.env().Selector(), g.config.Timeouts.Deletion)
	return errors.Join(err, g.Leave(ctx))
}

// create creates a namespace and makes it the current one.
func (g *Guest) create(ctx context.Context, name string) error {
	e := g.env()
	e.Namespace = name
	if err := namespaces.Create(ctx, e); err != nil {
		return err
	}
	g.namespace, g.created = name, append(g.created, name)
	return namespaces.WaitForServiceAccount(ctx, e)
}

// remaining returns the objects of the run in the namespace that a spec has
// created.
func (g *Guest) remaining(ctx context.Context) ([]string, error) {
	return namespaces.Remaining(ctx, g.config.Client, g.namespace, g.env().Selector())
}

// env returns an environment for objects that are not those of a spec.
func (g *Guest) env() *env.Env {
	c := g.config
	return &env.Env{
		Client: c.Client, Namespace: g.namespace, Subject: c.Subject, Timeouts: c.Timeouts, Workload: c.Workload, Scheduler: c.Scheduler,
		Labels: maps.Clone(c.Labels), Guest: g.Info(),
	}
}

// leaseTimes are the times of the lease on a given namespace.
type leaseTimes struct{ duration, renew, retry time.Duration }
