// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationv1 "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"
)

// leaseName is the name of the Lease that a run has in a given namespace. Specs
// use the same names in every run, so only one run can use a namespace.
const leaseName = "draconform"

// defaultLeaseTimes are long enough that a restart of the API server does not
// end a run. If a run crashed, the next one waits for the duration.
var defaultLeaseTimes = leaseTimes{duration: 2 * time.Minute, renew: 90 * time.Second, retry: 2 * time.Second}

// lease is a Lease that is renewed until it is released.
type lease struct {
	leases coordinationv1.LeaseInterface
	stop   context.CancelFunc
	done   chan struct{} // Closed when nothing renews the Lease any more.
}

// acquire waits until no other run has the Lease. A run that renews it ends the
// wait with an error.
func acquire(ctx context.Context, c Config, lost context.CancelCauseFunc) (*lease, error) {
	times := c.lease
	if times == (leaseTimes{}) {
		times = defaultLeaseTimes
	}
	led, holder := make(chan struct{}), make(chan string, 1)
	electing, stop := context.WithCancel(context.WithoutCancel(ctx))
	l := &lease{leases: c.Client.CoordinationV1().Leases(c.Namespace), stop: stop, done: make(chan struct{})}
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: c.Namespace, Name: leaseName},
			Client:     c.Client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: c.RunID},
			Labels:     c.Labels,
		},
		LeaseDuration: times.duration, RenewDeadline: times.renew, RetryPeriod: times.retry,
		ReleaseOnCancel: true, Name: leaseName,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { close(led) },
			OnStoppedLeading: func() {
				if electing.Err() == nil {
					lost(fmt.Errorf("the lease on namespace %s could not be renewed for %s, another run may use it", c.Namespace, times.renew))
				}
			},
			OnNewLeader: func(id string) {
				if id != c.RunID {
					select {
					case holder <- id:
					default:
					}
				}
			},
		},
	})
	if err != nil {
		stop()
		return nil, fmt.Errorf("prepare the lease on namespace %s: %w", c.Namespace, err)
	}
	go func() {
		defer close(l.done)
		// The elector logs what its errors are. Those that matter are returned.
		elector.Run(klog.NewContext(electing, klog.Logger{}))
	}()
	if err := l.wait(ctx, c, led, holder, times.duration+5*times.retry); err != nil {
		stop()
		<-l.done
		return nil, err
	}
	return l, nil
}

// wait waits until the Lease is acquired.
func (l *lease) wait(ctx context.Context, c Config, led <-chan struct{}, holder <-chan string, limit time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		select {
		case <-led:
			return nil
		case id := <-holder:
			if c.Waiting != nil {
				c.Waiting(id)
			}
		case <-ctx.Done():
			return l.whyNot(context.WithoutCancel(ctx), c, limit, context.Cause(ctx))
		}
	}
}

// whyNot returns why the Lease could not be acquired.
func (l *lease) whyNot(ctx context.Context, c Config, limit time.Duration, cause error) error {
	ctx, cancel := context.WithTimeout(ctx, c.Timeouts.Response)
	defer cancel()
	got, err := l.leases.Get(ctx, leaseName, metav1.GetOptions{})
	switch {
	case !errors.Is(cause, context.DeadlineExceeded):
		return fmt.Errorf("wait for the lease on namespace %s: %w", c.Namespace, cause)
	case err != nil && !apierrors.IsNotFound(err):
		return fmt.Errorf("acquire the lease on namespace %s: %w", c.Namespace, err)
	case err == nil && ptr.Deref(got.Spec.HolderIdentity, "") != "":
		return fmt.Errorf("namespace %s is in use by run %s, whose lease %s was renewed within the last %s: wait until that run has ended, or use another namespace",
			c.Namespace, *got.Spec.HolderIdentity, leaseName, limit)
	}
	return fmt.Errorf("acquire the lease on namespace %s: not possible within %s, are leases permitted there?", c.Namespace, limit)
}

// release releases the Lease and deletes it, unless another run has it already.
func (l *lease) release(ctx context.Context) error {
	l.stop()
	<-l.done
	got, err := l.leases.Get(ctx, leaseName, metav1.GetOptions{})
	switch {
	case apierrors.IsNotFound(err) || err == nil && ptr.Deref(got.Spec.HolderIdentity, "") != "":
		return nil
	case err != nil:
		return fmt.Errorf("get lease %s: %w", leaseName, err)
	}
	// With the version, a Lease that another run acquires meanwhile stays.
	err = l.leases.Delete(ctx, leaseName, metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &got.UID, ResourceVersion: &got.ResourceVersion}})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return fmt.Errorf("delete lease %s: %w", leaseName, err)
	}
	return nil
}
