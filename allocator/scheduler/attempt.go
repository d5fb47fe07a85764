// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/dynamic-resource-allocation/structured"
	fwk "k8s.io/kube-scheduler/framework"
)

const stateKey fwk.StateKey = Name

// attempt is the state of the plugin for one scheduling attempt of a pod. PreFilter creates it. Filter calls run in
// parallel and share only the fields that mu guards. From Reserve on, one goroutine at a time uses it.
type attempt struct {
	// claims are the claims of the pod's spec, in its order.
	claims []*claim
	// extended is set if a DeviceClass backs one of the pod's extended resources.
	extended *extended
	// unbacked are the pod's extended resources, sorted, if no DeviceClass backed any of them in PreFilter.
	unbacked []corev1.ResourceName
	// stale is the claim for extended resources that an earlier attempt left in the API server. The pod is
	// unschedulable as long as it exists.
	stale *resourceapi.ResourceClaim
	// searcher is nil if there is nothing to allocate.
	searcher searcher
	// nodeAllocatable are the devices that represent resources of their node, which the plugin does not support.
	nodeAllocatable sets.Set[structured.DeviceID]
	// affinity is set if devices of the cluster declare a sharing affinity. locked are those of them that are in use.
	affinity bool
	locked   sets.Set[structured.DeviceID]

	mu sync.Mutex
	// plans has an entry for each node that passed Filter, by name.
	plans map[string]*plan
	// rejected has an entry for each node without enough devices, by name.
	rejected map[string]*plan
	// unusable are the indices of allocated claims that cannot be used on at least one node.
	unusable sets.Set[int]
}

type claim struct {
	// object is read-only. PreBind replaces it by the version that it wrote.
	object *resourceapi.ResourceClaim
	// nodes selects the nodes on which an allocated claim can be used; nil means all.
	nodes *nodeaffinity.NodeSelector
	// bindingErr is why the devices of an allocated claim do not become ready on any node.
	bindingErr error
	// chosen is the allocation that Filter or Reserve picked. Reserve sets it.
	chosen *resourceapi.AllocationResult
	// inFlight is the UID of the pending allocation in the SharedDRAManager. It is empty if there is
	// none.
	inFlight types.UID
}

func (c *claim) allocated() bool { return c.object.Status.Allocation != nil }

// plan is the result of Filter for one node.
type plan struct {
	node *corev1.Node
	// claims are the claims to allocate: those of the pod, then the one for extended resources.
	claims []*resourceapi.ResourceClaim
	// extended is the claim for the extended resources that the node provides through DRA. It is nil if device
	// plugins provide all of them.
	extended *extendedPlan
	// allocations are in the order of claims. Filter leaves it empty where it determines only that allocations
	// exist.
	allocations []resourceapi.AllocationResult
}

var _ fwk.StateData = &attempt{}

// Clone implements the framework's interface. All copies share the state.
func (a *attempt) Clone() fwk.StateData { return a }

// readAttempt returns nil if PreFilter did not run or had nothing to do.
func readAttempt(state fwk.CycleState) (*attempt, error) {
	a, err := storedAttempt(state)
	if err != nil || a == nil || a.empty() {
		return nil, err
	}
	return a, nil
}

// storedAttempt returns nil if PreFilter did not run.
func storedAttempt(state fwk.CycleState) (*attempt, error) {
	data, err := state.Read(stateKey)
	if errors.Is(err, fwk.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a, ok := data.(*attempt)
	if !ok {
		return nil, fmt.Errorf("cycle state %s has type %T", stateKey, data)
	}
	return a, nil
}

func (a *attempt) empty() bool {
	return len(a.claims) == 0 && a.extended == nil && a.stale == nil
}

// unallocated returns the pod's claims without an allocation.
func (a *attempt) unallocated() []*claim {
	var list []*claim
	for _, c := range a.claims {
		if !c.allocated() {
			list = append(list, c)
		}
	}
	return list
}

// all returns the pod's claims. Once Reserve has determined that the node needs a claim for extended resources, it
// also returns that.
func (a *attempt) all() []*claim {
	if a.extended == nil || a.extended.claim == nil {
		return a.claims
	}
	return append(slices.Clone(a.claims), a.extended.claim)
}

// addPlan records a node that passed Filter.
func (a *attempt) addPlan(p *plan) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.plans[p.node.Name] = p
}

// reject records a node without enough devices.
func (a *attempt) reject(p *plan) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.rejected == nil {
		a.rejected = map[string]*plan{}
	}
	a.rejected[p.node.Name] = p
}

func (a *attempt) planFor(node string) *plan {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.plans[node]
}
