// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/classic/internal/fault"
)

// Durations of the lease. A killed instance is replaced within seconds.
const (
	leaseDuration = 6 * time.Second
	renewDeadline = 4 * time.Second
	retryPeriod   = time.Second
)

// errLost is the error of an instance that has lost its lease.
var errLost = errors.New("the lease was lost")

// runElected runs a controller while this process holds the lease of the driver, until
// the context ends. It returns an error if the lease is lost.
func runElected(ctx context.Context, p Parts, identity string, run Controller) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if fault.NeverTakesOver && isHeld(ctx, p) {
		<-ctx.Done()
		return nil
	}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta: metav1.ObjectMeta{Namespace: p.Ledger.Namespace, Name: p.Name},
			Client:    p.Client.CoordinationV1(), LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
		},
		LeaseDuration: leaseDuration, RenewDeadline: renewDeadline, RetryPeriod: retryPeriod,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) { runLogged(ctx, p, identity, run) },
			OnStoppedLeading: func() { cancel(errLost) },
		},
	})
	if err != nil {
		return fmt.Errorf("elect a leader of driver %s: %w", p.Name, err)
	}
	elector.Run(ctx)
	if cause := context.Cause(ctx); errors.Is(cause, errLost) {
		return cause
	}
	return nil
}

// isHeld reports whether the lease of a driver has had a holder.
func isHeld(ctx context.Context, p Parts) bool {
	lease, err := p.Client.CoordinationV1().Leases(p.Ledger.Namespace).Get(ctx, p.Name, metav1.GetOptions{})
	return err == nil && lease.Spec.HolderIdentity != nil && *lease.Spec.HolderIdentity != ""
}

func runLogged(ctx context.Context, p Parts, identity string, run Controller) {
	klog.FromContext(ctx).Info("Controller works", "driver", p.Name, "identity", identity)
	run(ctx, p)
}
