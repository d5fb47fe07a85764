package audit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
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
	// SharingAffinity says that the scheduler honors KEP-5981.
	SharingAffinity bool
	// UsesIncompletePools says that the scheduler may allocate from pools some
	// of whose slices are not there, as until Kubernetes 1.34.
	UsesIncompletePools bool
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
//   - claims are judged against each other in one state of all of them;
//   - what was allocated before the first look is not judged by slices.
//
// An Auditor is for one goroutine.
type Auditor struct {
	config Config
	// looks are those since Lag before the last one, and what was there then.
	looks []look
	last  *View
	// users are the uses of claims that were certain in the last look.
	users map[use]*resourceapi.AllocationResult
	told  map[Alarm]bool
}

// New returns an Auditor that has seen nothing.
func New(c Config) *Auditor {
	if c.Lag == 0 {
		c.Lag = DefaultLag
	}
	return &Auditor{config: c, told: map[Alarm]bool{}}
}

// See returns what is wrong in a view, or since the one before, and was not
// returned earlier. Views come in the order in which they were read.
func (a *Auditor) See(ctx context.Context, v View) []Alarm {
	a.remember(v)
	found := contradictions(a.watched(v.Claims))
	if a.last != nil {
		found = slices.Concat(found, a.decided(ctx, v), a.unlabelled(v), a.disturbed(v))
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

// watched are the claims that have no devices of other drivers.
func (a *Auditor) watched(claims []resourceapi.ResourceClaim) []resourceapi.ResourceClaim {
	if len(a.config.Drivers) == 0 {
		return claims
	}
	return slices.DeleteFunc(slices.Clone(claims), func(c resourceapi.ResourceClaim) bool {
		return slices.ContainsFunc(results(&c), func(r resourceapi.DeviceRequestAllocationResult) bool {
			return !slices.Contains(a.config.Drivers, r.Driver)
		})
	})
}

// decided judges the allocations that were made since the last look.
func (a *Auditor) decided(ctx context.Context, v View) []finding {
	before := map[types.UID]*resourceapi.AllocationResult{}
	for i := range a.last.Claims {
		before[a.last.Claims[i].UID] = a.last.Claims[i].Status.Allocation
	}
	claims := a.watched(v.Claims)
	var found []finding
	var fresh []*resourceapi.ResourceClaim
	isNew := map[string]bool{}
	for i := range claims {
		c := &claims[i]
		if c.Status.Allocation == nil || equality.Semantic.DeepEqual(before[c.UID], c.Status.Allocation) {
			continue
		}
		fresh = append(fresh, c)
		isNew[nameOf(c)] = true
		for _, f := range append(unsatisfied(c), misadmitted(c)...) {
			found = append(found, f.of(c))
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	held := holdersOf(claims)
	return append(found, a.inAllWorlds(func(w world) []finding {
		var wrong []finding
		for _, c := range fresh {
			for _, f := range w.wrong(ctx, c, a.config.UsesIncompletePools) {
				wrong = append(wrong, f.of(c))
			}
		}
		for _, f := range w.together(held, a.config.SharingAffinity) {
			// Who had something before keeps it when slices change.
			if f.isFaultOf(isNew) {
				wrong = append(wrong, f)
			}
		}
		return wrong
	})...)
}

func (f finding) isFaultOf(isNew map[string]bool) bool {
	return slices.ContainsFunc(f.blamed, func(claims []string) bool {
		return !slices.ContainsFunc(claims, func(name string) bool { return !isNew[name] })
	})
}

// inAllWorlds returns what is wrong in all states that a scheduler may have
// known, as the newest one has it, unless a state may have been missed.
func (a *Auditor) inAllWorlds(wrong func(world) []finding) []finding {
	worlds := a.worlds()
	found := wrong(worlds[len(worlds)-1])
	for _, w := range worlds[:len(worlds)-1] {
		if len(found) == 0 {
			return nil
		}
		also := map[string]bool{}
		for _, f := range wrong(w) {
			also[f.key()] = true
		}
		found = slices.DeleteFunc(found, func(f finding) bool { return !also[f.key()] })
	}
	unclear := a.unclear()
	return slices.DeleteFunc(found, func(f finding) bool {
		return slices.ContainsFunc(f.by, func(what string) bool { return unclear[what] })
	})
}

// key is the same for what is wrong for the same reason in several worlds.
func (f finding) key() string { return string(f.rule) + " " + f.about }

// unclear are the pools and classes of which a state may have been missed.
func (a *Auditor) unclear() map[string]bool {
	all := map[string]bool{}
	for _, l := range a.looks[1:] {
		maps.Copy(all, l.unclear)
	}
	return all
}

// Watch looks at a cluster until the context ends, with so much time between two
// looks, and tells what each finds. What cannot be read, because an API server
// restarts, is read later; only if nothing ever could is that an error.
func (a *Auditor) Watch(ctx context.Context, client kubernetes.Interface, every time.Duration, tell func(Alarm)) error {
	var failed error
	_ = wait.PollUntilContextCancel(ctx, every, true, func(ctx context.Context) (bool, error) {
		v, err := Read(ctx, client)
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
