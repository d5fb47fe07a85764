package scheduler

import (
	"maps"
	"slices"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
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
