package scheduler

import (
	"context"
	"maps"
	"slices"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// inFlight are the claims whose allocation Reserve decided and PreBind has not stored yet, with a status as it
// will be. The SharedDRAManager counts their devices, but does not tell for what they were allocated.
type inFlight struct {
	mu     sync.Mutex
	claims map[types.UID]*resourceapi.ResourceClaim
}

func (f *inFlight) add(claim *resourceapi.ResourceClaim) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.claims[claim.UID] = claim
}

func (f *inFlight) remove(uid types.UID) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.claims, uid)
}

func (f *inFlight) list() []*resourceapi.ResourceClaim {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Collect(maps.Values(f.claims))
}

// shared is what the profiles of one scheduler have in common, because they allocate from the same devices.
type shared struct {
	dra      fwk.SharedDRAManager
	inFlight inFlight
}

// schedulers has an entry for each scheduler of this process, of which there are several only in tests. The profiles of
// one find each other by the manager that they share; the framework gives them nothing else in common.
var schedulers = struct {
	sync.Mutex
	by map[fwk.SharedDRAManager]*shared
}{by: map[fwk.SharedDRAManager]*shared{}}

// sharedBy returns what the profiles with the manager have in common. It is forgotten when the context ends.
func sharedBy(ctx context.Context, manager fwk.SharedDRAManager) *shared {
	schedulers.Lock()
	defer schedulers.Unlock()
	if s := schedulers.by[manager]; s != nil {
		return s
	}
	s := &shared{dra: manager, inFlight: inFlight{claims: map[types.UID]*resourceapi.ResourceClaim{}}}
	schedulers.by[manager] = s
	context.AfterFunc(ctx, func() {
		schedulers.Lock()
		defer schedulers.Unlock()
		delete(schedulers.by, manager)
	})
	return s
}
