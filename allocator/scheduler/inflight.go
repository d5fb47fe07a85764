package scheduler

import (
	"maps"
	"slices"
	"strconv"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/draconform/draconform/internal/fault"
)

// inFlight are the claims whose allocation is not in the informer's cache yet: those that Reserve decided, with a status
// as it will be, and those that PreBind has stored since. The SharedDRAManager counts their devices, but does not
// tell whose they are.
type inFlight struct {
	informer cache.Indexer

	mu      sync.Mutex
	decided map[types.UID]*resourceapi.ResourceClaim
	stored  map[types.UID]*resourceapi.ResourceClaim
}

func newInFlight(informer cache.Indexer) *inFlight {
	return &inFlight{
		informer: informer,
		decided:  map[types.UID]*resourceapi.ResourceClaim{},
		stored:   map[types.UID]*resourceapi.ResourceClaim{},
	}
}

// decide adds a claim that Reserve has chosen devices for.
func (f *inFlight) decide(claim *resourceapi.ResourceClaim) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.decided[claim.UID] = claim
}

// settle removes a claim because it was given up, or because it was stored like this.
func (f *inFlight) settle(uid types.UID, stored *resourceapi.ResourceClaim) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.decided, uid)
	if stored != nil {
		f.stored[stored.UID] = stored
	}
	f.dropArrived()
}

func (f *inFlight) dropArrived() {
	if fault.KeepsReleasedDevices {
		return
	}
	maps.DeleteFunc(f.stored, func(_ types.UID, claim *resourceapi.ResourceClaim) bool { return f.arrived(claim) })
}

// arrived tells whether the informer has a claim as it was stored, or something that came later. It had an earlier
// version when the claim was stored, so one that it does not have is gone.
func (f *inFlight) arrived(claim *resourceapi.ResourceClaim) bool {
	object, ok, err := f.informer.GetByKey(claim.Namespace + "/" + claim.Name)
	known, isClaim := object.(*resourceapi.ResourceClaim)
	if err != nil || !ok || !isClaim || known.UID != claim.UID {
		return true
	}
	return version(known) >= version(claim)
}

func version(claim *resourceapi.ResourceClaim) uint64 {
	n, err := strconv.ParseUint(claim.ResourceVersion, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// list returns the claims. Whoever looks into the informer's cache too should do so afterwards, to miss none.
func (f *inFlight) list() []*resourceapi.ResourceClaim {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.dropArrived()
	if fault.ForgetsDecisions {
		return slices.Collect(maps.Values(f.stored))
	}
	return slices.AppendSeq(slices.Collect(maps.Values(f.decided)), maps.Values(f.stored))
}
