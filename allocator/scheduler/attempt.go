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

// attempt is what the plugin knows about a pod during one attempt to schedule it. PreFilter makes it; Filter
// calls run in parallel and share only what mu guards; from Reserve on there is one goroutine at a time.
type attempt struct {
	// claims are those of the pod's spec, in its order.
	claims []*claim
	// extended is set if a DeviceClass backs one of the pod's extended resources.
	extended *extended
	// stale is the claim for extended resources that an earlier attempt left in the API server. As long as it
	// is there the pod is unschedulable.
	stale *resourceapi.ResourceClaim
	// searcher is nil if there is nothing to allocate.
	searcher searcher
	// accounted are the devices that stand for resources of their node, which the plugin does not account for.
	accounted sets.Set[structured.DeviceID]
	// affinity is set if devices of the cluster declare a sharing affinity; locked are those of them that are in use.
	affinity bool
	locked   sets.Set[structured.DeviceID]

	mu sync.Mutex
	// plans has an entry for each node that passed Filter, by name.
	plans map[string]*plan
	// rejected has an entry for each node whose devices do not suffice, by name.
	rejected map[string]*plan
	// unusable are the indices of allocated claims that at least one node cannot use.
	unusable sets.Set[int]
}

// claim is one of the pod's claims.
type claim struct {
	// object is read-only. PreBind replaces it by what it wrote.
	object *resourceapi.ResourceClaim
	// nodes is where an allocated claim can be used; nil means everywhere.
	nodes *nodeaffinity.NodeSelector
	// broken tells why an allocated claim cannot be used on any node.
	broken error
	// chosen is the allocation that Reserve picked.
	chosen *resourceapi.AllocationResult
	// inFlight is the UID that the SharedDRAManager knows the chosen allocation by, empty if it does not.
	inFlight types.UID
}

func (c *claim) allocated() bool { return c.object.Status.Allocation != nil }

// plan is the answer of Filter for one node.
type plan struct {
	node *corev1.Node
	// claims are those to allocate: the pod's, then the one for extended resources.
	claims []*resourceapi.ResourceClaim
	// extended is what the node serves as devices; nil if it serves all extended resources otherwise.
	extended *extendedPlan
	// allocations are in the order of claims. Filter leaves it empty where it needs only to know that they exist.
	allocations []resourceapi.AllocationResult
}

var _ fwk.StateData = &attempt{}

// Clone returns the attempt itself: what the plugin remembers about nodes holds for clones of a cycle state too.
func (a *attempt) Clone() fwk.StateData { return a }

// readAttempt returns nil if PreFilter did not run or had nothing to do.
func readAttempt(state fwk.CycleState) (*attempt, error) {
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
	if a.empty() {
		return nil, nil
	}
	return a, nil
}

func (a *attempt) empty() bool {
	return len(a.claims) == 0 && a.extended == nil && a.stale == nil
}

// unallocated returns those of the pod's claims that have no allocation.
func (a *attempt) unallocated() []*claim {
	var list []*claim
	for _, c := range a.claims {
		if !c.allocated() {
			list = append(list, c)
		}
	}
	return list
}

// all returns the pod's claims and, once Reserve found that the node needs one, the one for extended resources.
func (a *attempt) all() []*claim {
	if a.extended == nil || a.extended.claim == nil {
		return a.claims
	}
	return append(slices.Clone(a.claims), a.extended.claim)
}

func (a *attempt) remember(p *plan) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.plans[p.node.Name] = p
}

// reject remembers a node whose devices do not suffice.
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
