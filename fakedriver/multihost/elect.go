// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const defaultLeaseDuration = 15 * time.Second

// elect runs the leader whenever the replica holds the lease. Once the context
// is done, it releases the lease and returns.
func elect(ctx context.Context, config Config, state *state) error {
	// Canceling this context releases the lease. The lease must not be released
	// before all writes have ended. Otherwise two replicas could write at the
	// same time.
	electing, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	var leading sync.Mutex
	defer context.AfterFunc(ctx, func() {
		leading.Lock()
		defer leading.Unlock()
		release()
	})()

	lead := func(holding context.Context) {
		leading.Lock()
		defer leading.Unlock()
		holding, stop := context.WithCancel(holding)
		defer stop()
		defer context.AfterFunc(ctx, stop)()
		if ctx.Err() != nil || holding.Err() != nil {
			return
		}
		newLeader(config, state).run(holding)
		if ctx.Err() == nil {
			state.set(ctx, "", errStarting)
		}
	}
	for electing.Err() == nil {
		var elector *leaderelection.LeaderElector
		follow := func(leader string) {
			// This callback may be delayed: the replica may have become the
			// leader in the meantime, or may not have stopped leading yet.
			leading.Lock()
			defer leading.Unlock()
			if leader != config.Identity && leader == elector.GetLeader() {
				state.set(ctx, "standing by, the leader is "+leader, nil)
			}
		}
		var err error
		if elector, err = leaderelection.NewLeaderElector(electionConfig(config, lead, follow)); err != nil {
			return fmt.Errorf("set up leader election: %w", err)
		}
		elector.Run(electing)
	}
	return nil
}

func electionConfig(config Config, lead func(context.Context), follow func(string)) leaderelection.LeaderElectionConfig {
	duration := cmp.Or(config.LeaseDuration, defaultLeaseDuration)
	return leaderelection.LeaderElectionConfig{
		Name: config.DriverName,
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: config.Namespace, Name: config.DriverName},
			Client:     config.Client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: config.Identity},
		},
		// The proportions are the same as in the components of Kubernetes.
		LeaseDuration:   duration,
		RenewDeadline:   duration * 10 / 15,
		RetryPeriod:     duration * 2 / 15,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: lead,
			OnStoppedLeading: func() {},
			OnNewLeader:      follow,
		},
	}
}
