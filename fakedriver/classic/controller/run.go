// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/dynamic-resource-allocation/controller"
	"k8s.io/klog/v2"
)

// Options of [Run].
type Options struct {
	// Identity identifies the process among the instances of the driver. Required.
	Identity string
	// SetReservedFor lets the driver reserve a claim for the pod that it is allocated
	// for. Kubernetes works without it.
	SetReservedFor bool
	// Elect lets the instance that holds the lease work, and the others wait. If it
	// is not set, all work.
	Elect bool
}

// workers is the number of claims and pods that are handled at the same time.
const workers = 4

// Durations of the lease. A killed instance is replaced within seconds.
const (
	leaseDuration = 6 * time.Second
	renewDeadline = 4 * time.Second
	retryPeriod   = time.Second
)

// ErrLost is the error of an instance that has lost its lease.
var ErrLost = errors.New("the lease was lost")

// Run runs the controller until the context ends, or the lease is lost.
func (d *Driver) Run(ctx context.Context, o Options) error {
	if !o.Elect {
		d.run(ctx, o)
		return nil
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta: metav1.ObjectMeta{Namespace: d.Ledger.Namespace, Name: d.Name},
			Client:    d.Client.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: o.Identity},
		},
		LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { d.run(ctx, o) },
			OnStoppedLeading: func() { cancel(ErrLost) },
		},
	})
	if err != nil {
		return fmt.Errorf("elect a leader of driver %s: %w", d.Name, err)
	}
	elector.Run(ctx)
	if cause := context.Cause(ctx); errors.Is(cause, ErrLost) {
		return cause
	}
	return nil
}

func (d *Driver) run(ctx context.Context, o Options) {
	klog.FromContext(ctx).Info("Controller works", "driver", d.Name, "identity", o.Identity)
	factory := informers.NewSharedInformerFactory(d.Client, 0)
	c := controller.New(ctx, d.Name, d, d.Client, factory)
	c.SetReservedFor(o.SetReservedFor)
	factory.Start(ctx.Done())
	c.Run(workers)
	factory.Shutdown()
}
