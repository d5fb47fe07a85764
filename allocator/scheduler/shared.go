// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"fmt"
	"sync"

	"k8s.io/client-go/tools/cache"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
)

// shared is the state that the profiles of one scheduler share, because they allocate the same devices.
type shared struct {
	dra          fwk.SharedDRAManager
	claims       cache.Indexer
	published    publications
	inFlight     *inFlight
	ledger       *ledger
	undrained    *undrained
	explanations *explanations
}

// schedulers has an entry for each scheduler of this process. Only tests have several. The profiles of one scheduler
// are identified by their SharedDRAManager, because the framework offers no other common object.
var schedulers = struct {
	sync.Mutex
	by map[fwk.SharedDRAManager]*shared
}{by: map[fwk.SharedDRAManager]*shared{}}

// sharedBy returns the state that the profiles of a scheduler share. It is removed when the context ends.
func sharedBy(ctx context.Context, handle fwk.Handle, features feature.Features) (*shared, error) {
	schedulers.Lock()
	defer schedulers.Unlock()
	manager := handle.SharedDRAManager()
	if s := schedulers.by[manager]; s != nil {
		return s, nil
	}
	informer := handle.SharedInformerFactory().Resource().V1().ResourceClaims().Informer()
	if err := informer.AddIndexers(cache.Indexers{claimsByDevice: devicesOfClaim, claimsByPool: poolsOfClaim}); err != nil {
		return nil, fmt.Errorf("index claims by device and pool: %w", err)
	}
	claims := informer.GetIndexer()
	s := &shared{dra: manager, claims: claims, inFlight: newInFlight(claims), explanations: newExplanations()}
	s.undrained = newUndrained(s.affinityDevices)
	if _, err := informer.AddEventHandler(s.undrained.handler()); err != nil {
		return nil, fmt.Errorf("watch claims: %w", err)
	}
	s.ledger = newLedger(claims, s.inFlight, features.EnableDRAConsumableCapacity)
	schedulers.by[manager] = s
	context.AfterFunc(ctx, func() {
		schedulers.Lock()
		defer schedulers.Unlock()
		delete(schedulers.by, manager)
	})
	return s, nil
}
