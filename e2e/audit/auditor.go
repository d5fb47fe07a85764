package audit

import (
	"context"
	"fmt"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
)

// DefaultLag is long for a scheduler on a busy machine.
const DefaultLag = 10 * time.Second

// Config is what an Auditor needs to know of a cluster.
type Config struct {
	// Drivers are those whose devices are looked at; empty means all.
	Drivers []string
	// Lag is how much older than the allocations that are seen the slices and
	// classes may be from which a scheduler made them. Zero means DefaultLag.
	Lag time.Duration
	// Scheduler is who allocates, until [Auditor.AllocatedBy] says otherwise.
	Scheduler Scheduler
}

// Scheduler is what an Auditor may expect of a scheduler.
type Scheduler struct {
	// SharingAffinity says that it honors KEP-5981.
	SharingAffinity bool
	// UsesIncompletePools says that it may allocate from pools some of whose slices
	// are not there, as until Kubernetes 1.34.
	UsesIncompletePools bool
}

// Or is what may be expected where either scheduler has allocated.
func (s Scheduler) Or(other Scheduler) Scheduler {
	return Scheduler{
		SharingAffinity:     s.SharingAffinity && other.SharingAffinity,
		UsesIncompletePools: s.UsesIncompletePools || other.UsesIncompletePools,
	}
}

// Auditor looks at a cluster time and again, and finds promises that are broken.
//
// It does not blame anybody for what it sees late or early itself. Kinds of
// objects are read one after the other (Read), so what is read later is at least
// as new:
//   - an allocation is judged by slices, classes and nodes that were read after
//     it. These may be newer than those which the scheduler knew; so it is wrong
//     only if it is by all states since Lag before the last look that did not
//     have it. If a state may have been
//     missed, such as when two slices of a pool changed between two looks, the
//     pool's rules wait until that is Lag ago;
//   - a pod uses a claim, in the state that was read, if it ran both in the look
//     before and in this one, as pods are read last and never start again;
//   - claims are judged against each other in one state of all of them; a view may
//     have those that were there since the one before (see Follower), so that
//     nothing that comes and goes between two looks is missed;
//   - where no state of the slices was missed, who has a device must have seen it:
//     states without it excuse nothing;
//   - what was allocated before the first look is not judged by slices, nor are the nodes
//     of pods that were there before: which labels these had then is not known.
//
// An Auditor is for one goroutine.
type Auditor struct {
	config Config
	// looks are those since Lag before the last one, and what was there then.
	looks []look
	last  *View
	// first is what was offered when it was looked for the first time. What was
	// before is not known.
	first *Inventory
	// settled are the pods that were on a node at the first look.
	settled map[types.UID]bool
	// others are claims that have had devices of other drivers.
	others map[types.UID]bool
	// users are the uses of claims that were certain in the last look.
	users map[use]*resourceapi.AllocationResult
	told  map[Alarm]bool
}

// New returns an Auditor that has seen nothing.
func New(c Config) *Auditor {
	if c.Lag == 0 {
		c.Lag = DefaultLag
	}
	return &Auditor{config: c, others: map[types.UID]bool{}, told: map[Alarm]bool{}}
}

// AllocatedBy says who has allocated what the next views show and those before did
// not, from then on.
func (a *Auditor) AllocatedBy(s Scheduler) { a.config.Scheduler = s }

// See returns what is wrong in a view, or since the one before, and was not
// returned earlier. Views come in the order in which they were read.
func (a *Auditor) See(ctx context.Context, v View) []Alarm {
	a.remember(v)
	for i := range v.Claims {
		if c := &v.Claims[i]; !hasOnly(c, a.config.Drivers) {
			a.others[c.UID] = true
		}
	}
	claims := a.watched(v.Claims)
	found := contradictions(claims)
	if a.last == nil {
		a.settled = onNodes(v)
	} else {
		found = slices.Concat(found, a.followed(ctx, v.Earlier, claims), a.unlabelled(v), a.disturbed(v))
	}
	a.users = a.using(v)
	a.last = &v
	var alarms []Alarm
	for _, f := range found {
		alarm := Alarm{f.rule, f.text}
		if !a.told[alarm] {
			a.told[alarm] = true
			alarms = append(alarms, alarm)
		}
	}
	return alarms
}

// watched are the claims that have and had no devices of other drivers.
func (a *Auditor) watched(claims []resourceapi.ResourceClaim) []resourceapi.ResourceClaim {
	return slices.DeleteFunc(slices.Clone(claims), func(c resourceapi.ResourceClaim) bool { return !a.watches(&c) })
}

func (a *Auditor) watches(claim *resourceapi.ResourceClaim) bool {
	return !a.others[claim.UID] && hasOnly(claim, a.config.Drivers)
}

// hasOnly reports whether a claim has no devices but those of some drivers, or of any
// if none are named.
func hasOnly(claim *resourceapi.ResourceClaim, drivers []string) bool {
	return len(drivers) == 0 || !slices.ContainsFunc(results(claim), func(r resourceapi.DeviceRequestAllocationResult) bool {
		return !slices.Contains(drivers, r.Driver)
	})
}

// followed judges all states that claims had since the last look, one after the
// other, up to what there is now.
func (a *Auditor) followed(ctx context.Context, earlier [][]*resourceapi.ResourceClaim, now []resourceapi.ResourceClaim) []finding {
	var found []finding
	before := a.last.Claims
	for _, state := range earlier {
		if ctx.Err() != nil {
			break
		}
		claims := a.watched(pointedAt(state))
		found = slices.Concat(found, contradictions(claims), a.decided(ctx, before, claims))
		before = claims
	}
	return append(found, a.decided(ctx, before, now)...)
}

// decided judges the allocations that claims have and did not have before.
func (a *Auditor) decided(ctx context.Context, before, claims []resourceapi.ResourceClaim) []finding {
	had := map[types.UID]*resourceapi.AllocationResult{}
	for i := range before {
		had[before[i].UID] = before[i].Status.Allocation
	}
	var found []finding
	fresh := map[string]*resourceapi.ResourceClaim{}
	for i := range claims {
		c := &claims[i]
		if c.Status.Allocation == nil || equality.Semantic.DeepEqual(had[c.UID], c.Status.Allocation) {
			continue
		}
		fresh[nameOf(c)] = c
		for _, f := range append(unsatisfied(c), misadmitted(c)...) {
			found = append(found, f.of(c))
		}
	}
	if len(fresh) == 0 {
		return found
	}
	held := holdersOf(claims)
	return append(found, a.inAllWorlds(fresh, func(w world) []finding {
		var wrong []finding
		for _, c := range fresh {
			for _, f := range w.wrong(ctx, c, a.config.Scheduler.UsesIncompletePools) {
				wrong = append(wrong, f.of(c))
			}
		}
		for _, f := range w.together(held, a.config.Scheduler.SharingAffinity) {
			// Who had something before keeps it when slices change.
			if f.isFaultOf(fresh) {
				wrong = append(wrong, f)
			}
		}
		return wrong
	})...)
}

// Watch looks at a cluster until the context ends, with so much time between two
// looks, and tells what each finds. What cannot be read, because an API server
// restarts, is read later; only if nothing ever could is that an error.
func (a *Auditor) Watch(ctx context.Context, read func(context.Context) (View, error), every time.Duration, tell func(Alarm)) error {
	var failed error
	_ = wait.PollUntilContextCancel(ctx, every, true, func(ctx context.Context) (bool, error) {
		v, err := read(ctx)
		if err != nil {
			failed = err
			return false, nil //nolint:nilerr // Said below, if it never works.
		}
		for _, alarm := range a.See(ctx, v) {
			tell(alarm)
		}
		return false, nil
	})
	if a.last == nil && failed != nil {
		return fmt.Errorf("watch allocations: %w", failed)
	}
	return nil
}
