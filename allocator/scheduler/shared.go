package scheduler

import (
	"context"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
)

// shared is what the profiles of one scheduler have in common, because they allocate from the same devices.
type shared struct {
	dra          fwk.SharedDRAManager
	published    publications
	inFlight     inFlight
	explanations *explanations
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
	s := &shared{
		dra:          manager,
		inFlight:     inFlight{claims: map[types.UID]*resourceapi.ResourceClaim{}},
		explanations: newExplanations(),
	}
	schedulers.by[manager] = s
	context.AfterFunc(ctx, func() {
		schedulers.Lock()
		defer schedulers.Unlock()
		delete(schedulers.by, manager)
	})
	return s
}
