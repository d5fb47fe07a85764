// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/affinity"
)

// theNIC is the device that the claims of sharing share.
var theNIC = affinityDevice{id: structured.MakeDeviceID(driver, "a", "gpu-0"), keys: []string{subnet}}

// released returns the claim without its allocation.
func released(claim *resourceapi.ResourceClaim) *resourceapi.ResourceClaim {
	claim = claim.DeepCopy()
	claim.Status = resourceapi.ResourceClaimStatus{}
	return claim
}

// lockOf returns the lock of the device when the informer's cache contains these claims.
func lockOf(u *undrained, inCache ...*resourceapi.ResourceClaim) affinity.Lock {
	var live holders
	for _, claim := range inCache {
		live.add(claim)
	}
	u.addTo(&live, []affinityDevice{theNIC})
	return affinity.NewState(live.claims).Lock(theNIC.id, theNIC.keys)
}

func newFollower(claims ...*resourceapi.ResourceClaim) (*undrained, cache.ResourceEventHandlerFuncs) {
	u := newUndrained(func() ([]affinityDevice, error) { return []affinityDevice{theNIC}, nil })
	events := u.handler()
	for _, claim := range claims {
		events.OnAdd(claim, true)
	}
	return u, events
}

var (
	unknown = affinity.Lock{Unknown: true}
	locked  = affinity.Lock{Values: []string{"x"}}
	clean   = affinity.Lock{}
)

func TestUndrainedDevices(t *testing.T) {
	silent, x, y := sharing("silent", ""), sharing("x", "x"), sharing("y", "y")
	g := NewWithT(t)
	u, events := newFollower(silent, x, y)
	g.Expect(lockOf(u, silent, x, y)).To(Equal(unknown))
	events.OnUpdate(silent, released(silent))
	g.Expect(lockOf(u, x, y)).To(Equal(unknown))
	events.OnDelete(cache.DeletedFinalStateUnknown{Key: "default/y", Obj: y})
	g.Expect(lockOf(u, x)).To(Equal(unknown), "also after its watch broke")
	events.OnUpdate(x, released(x))
	g.Expect(lockOf(u)).To(Equal(clean))
	again := sharing("again", "x")
	events.OnUpdate(released(again), again)
	g.Expect(lockOf(u, again)).To(Equal(locked), "drained, it is like any other")
	events.OnUpdate(again, released(again))
	g.Expect(u.claims).To(BeEmpty())
	g.Expect(u.users).To(BeEmpty())
	g.Expect(u.leftUnknown).To(BeEmpty())
}

// The KEP does not specify which of several values applies. In this implementation none does, even when
// only one of the claims is left.
func TestUndrainedDevicesOfConflictingClaims(t *testing.T) {
	x, y := sharing("x", "x"), sharing("y", "y")
	g := NewWithT(t)
	u, events := newFollower(x, y)
	g.Expect(lockOf(u, x, y)).To(Equal(unknown))
	events.OnUpdate(y, released(y))
	g.Expect(lockOf(u, x)).To(Equal(unknown))
	events.OnUpdate(x, released(x))
	g.Expect(lockOf(u)).To(Equal(clean))
}

// The cache contains a release before its event is delivered.
func TestUndrainedDevicesBeforeTheEventOfARelease(t *testing.T) {
	silent, x, y := sharing("silent", ""), sharing("x", "x"), sharing("y", "y")
	g := NewWithT(t)
	u, _ := newFollower(silent, x)
	g.Expect(lockOf(u, x)).To(Equal(unknown), "the claim without values is released")
	g.Expect(lockOf(u)).To(Equal(clean), "both are")
	g.Expect(lockOf(u, y)).To(Equal(affinity.Lock{Values: []string{"y"}}), "both are, and the device has been allocated again")
}

// A claim that is recreated with its name, or that has moved to other devices, is a different claim.
func TestUndrainedDevicesOfReplacedClaims(t *testing.T) {
	silent, x := sharing("silent", ""), sharing("x", "x")
	for name, after := range map[string]func(*resourceapi.ResourceClaim){
		"another one of the name": func(c *resourceapi.ResourceClaim) { c.UID = "another" },
		"another device":          func(c *resourceapi.ResourceClaim) { c.Status.Allocation.Devices.Results[0].Device = "gpu-1" },
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			u, events := newFollower(silent, x)
			now := silent.DeepCopy()
			after(now)
			events.OnUpdate(silent, now)
			g.Expect(u.leftUnknown.Has(theNIC.id)).To(BeTrue())
			g.Expect(lockOf(u, x)).To(Equal(unknown))
		})
	}
}

func TestUndrainedDevicesNeedTheDeclarations(t *testing.T) {
	g := NewWithT(t)
	silent, x := sharing("silent", ""), sharing("x", "x")
	u := newUndrained(func() ([]affinityDevice, error) { return nil, errors.New("no slices") })
	events := u.handler()
	events.OnAdd(silent, true)
	events.OnAdd(x, true)
	events.OnUpdate(silent, released(silent))
	g.Expect(lockOf(u, x)).To(Equal(locked), "other attributes do not matter")
}

func TestDeviceWithUnknownValuesIsNotAllocatedUntilItIsDrained(t *testing.T) {
	w := newWorld(t, oneNIC(sharing("legacy", ""), sharing("known", "x"))...)
	for _, claim := range []string{"x1", "y", "none"} {
		w.Expect(w.begin(podWith("p", claim)).schedule()).To(unschedulableBecause(cannotAllocate), claim)
	}
	w.release("known")
	w.Expect(w.begin(podWith("p", "x1")).schedule()).To(unschedulableBecause(cannotAllocate))
	w.release("legacy")
	w.mustBind(podWith("p", "y"))
}

func TestDeviceStaysUnknownUntilAllOfItsClaimsAreReleased(t *testing.T) {
	for name, first := range map[string]*resourceapi.ResourceClaim{
		"one stated no value":      sharing("old", ""),
		"one stated another value": sharing("old", "y"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, node("a"), deviceClass(), nics("a", 1), first, sharing("x1", "x"), inSubnet("x2", "x"), inSubnet("y2", "y"))
			pod := podWith("p2", "x2")
			w.Expect(w.begin(pod).schedule()).To(unschedulableBecause(cannotAllocate))

			w.release("old")
			w.Expect(w.begin(pod).schedule()).To(unschedulableBecause(cannotAllocate), "x1 shared the device while its values were unknown")

			w.release("x1")
			w.Expect(w.begin(podWith("py", "y2")).schedule()).To(succeed(), "the device is clean")
		})
	}
}
