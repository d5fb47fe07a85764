// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/allocator/scheduler/internal/statecheck"
)

// ledgerOf returns a ledger with an informer's cache that contains the claims.
func ledgerOf(g Gomega, shares bool, claims ...*resourceapi.ResourceClaim) *ledger {
	informer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{claimsByPool: poolsOfClaim})
	for _, claim := range claims {
		g.Expect(informer.Add(claim)).To(Succeed())
	}
	return newLedger(informer, newInFlight(informer), shares)
}

// holder returns a claim that holds gpu-0 of pool a.
func holder(name string, changes ...func(*resourceapi.DeviceRequestAllocationResult)) *resourceapi.ResourceClaim {
	claim := on(claimOf(name), "a", "gpu-0")
	claim.ResourceVersion = "1"
	for _, change := range changes {
		change(&claim.Status.Allocation.Devices.Results[0])
	}
	return claim
}

// share changes a result to a share, with the given amount of memory if that is not empty.
func share(id, memory string) func(*resourceapi.DeviceRequestAllocationResult) {
	return func(r *resourceapi.DeviceRequestAllocationResult) {
		r.ShareID = new(types.UID(id))
		if memory != "" {
			r.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"memory": resource.MustParse(memory)}
		}
	}
}

func withAdmin(r *resourceapi.DeviceRequestAllocationResult) { r.AdminAccess = new(true) }

func ofPool(name string) func(*resourceapi.DeviceRequestAllocationResult) {
	return func(r *resourceapi.DeviceRequestAllocationResult) { r.Pool = name }
}

const gpu0 = "gpu.example.com/a/gpu-0"

func TestLedgerCountsWhatClaimsHold(t *testing.T) {
	for name, tc := range map[string]struct {
		stored, reserved []*resourceapi.ResourceClaim
		withoutShares    bool
		allocated        []string
	}{
		"nothing":          {stored: []*resourceapi.ResourceClaim{claimOf("c")}},
		"a device":         {stored: []*resourceapi.ResourceClaim{holder("c")}, allocated: []string{"device " + gpu0}},
		"admin access":     {stored: []*resourceapi.ResourceClaim{holder("c", withAdmin)}},
		"two hold it":      {stored: []*resourceapi.ResourceClaim{holder("c"), holder("d")}, allocated: []string{"device " + gpu0}},
		"reserved":         {reserved: []*resourceapi.ResourceClaim{holder("c")}, allocated: []string{"device " + gpu0}},
		"reserved, admin":  {reserved: []*resourceapi.ResourceClaim{holder("c", withAdmin)}},
		"pool with a path": {stored: []*resourceapi.ResourceClaim{holder("c", ofPool("x/y"))}, allocated: []string{"device gpu.example.com/x/y/gpu-0"}},
		"shares": {
			stored:    []*resourceapi.ResourceClaim{holder("c", share("s", "1Gi")), holder("d", share("t", "512Mi"))},
			reserved:  []*resourceapi.ResourceClaim{holder("e", share("u", "512Mi"))},
			allocated: []string{"memory of " + gpu0 + ": 2Gi", "share " + gpu0 + "/s", "share " + gpu0 + "/t", "share " + gpu0 + "/u"},
		},
		"a share without capacity": {
			stored:    []*resourceapi.ResourceClaim{holder("c", share("s", ""))},
			allocated: []string{"share " + gpu0 + "/s"},
		},
		"a share that has just been stored": {
			stored:    []*resourceapi.ResourceClaim{holder("c", share("s", "1Gi"))},
			reserved:  []*resourceapi.ResourceClaim{holder("c", share("s", "1Gi"))},
			allocated: []string{"memory of " + gpu0 + ": 1Gi", "share " + gpu0 + "/s"},
		},
		"shares without their feature": {
			stored: []*resourceapi.ResourceClaim{holder("c", share("s", "1Gi"))}, withoutShares: true,
			allocated: []string{"device " + gpu0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			l := ledgerOf(g, !tc.withoutShares, tc.stored...)
			for _, claim := range tc.reserved {
				l.inFlight.add(claim)
			}
			g.Expect(statecheck.Describe(l.state())).To(ConsistOf(tc.allocated))
			g.Expect(statecheck.Describe(l.state())).To(ConsistOf(tc.allocated), "the claims are unchanged")
		})
	}
}

func TestLedgerDuringTheLifeOfAClaim(t *testing.T) {
	g := NewWithT(t)
	l := ledgerOf(g, true, at("1", ""))
	in := func() []string { return statecheck.Describe(l.state()) }
	g.Expect(in()).To(BeEmpty())
	l.inFlight.add(at("1", "a"))
	g.Expect(in()).To(HaveLen(1), "reserved")
	l.inFlight.remove("uid-c", at("2", "a"))
	g.Expect(in()).To(HaveLen(1), "stored, and the informer does not have it")
	g.Expect(l.claims.Update(at("2", "a"))).To(Succeed())
	g.Expect(in()).To(HaveLen(1), "known")
	g.Expect(l.claims.Update(at("3", ""))).To(Succeed())
	g.Expect(in()).To(BeEmpty(), "deallocated")

	l.inFlight.add(at("3", "a"))
	l.inFlight.remove("uid-c", nil)
	g.Expect(in()).To(BeEmpty(), "abandoned")

	g.Expect(l.claims.Update(at("4", "b"))).To(Succeed())
	g.Expect(in()).To(Equal([]string{"device gpu.example.com/b/gpu-0"}), "allocated by another scheduler")
	g.Expect(l.claims.Delete(at("4", "b"))).To(Succeed())
	g.Expect(in()).To(BeEmpty(), "deleted")
}

func TestSharesInFlightAreNotAddedToStoredOnes(t *testing.T) {
	g := NewWithT(t)
	l := ledgerOf(g, true, holder("c", share("s", "1Gi")))
	stored := statecheck.Describe(l.state())
	l.inFlight.add(holder("d", share("t", "1Gi")))
	g.Expect(statecheck.Describe(l.state())).To(ContainElement("memory of " + gpu0 + ": 2Gi"))
	l.inFlight.remove("uid-d", nil)
	g.Expect(statecheck.Describe(l.state())).To(Equal(stored))
}

func TestAnAttemptSeesOneStateOfEachPool(t *testing.T) {
	g := NewWithT(t)
	l := ledgerOf(g, true, holder("c"))
	l.inFlight.add(holder("d", ofPool("b")))
	u := l.usage()
	alone := func(u allocator.Usage, pool string) bool {
		id := structured.MakeDeviceID(driver, pool, "gpu-0")
		p := u.Pool(id)
		return p != nil && p.Device(id).Alone
	}
	g.Expect(alone(u, "a")).To(BeTrue())
	g.Expect(l.claims.Delete(holder("c"))).To(Succeed())
	l.inFlight.remove("uid-d", nil)
	g.Expect(alone(u, "a")).To(BeTrue(), "the pool was read before")
	g.Expect(alone(u, "b")).To(BeTrue(), "it was in flight when the attempt began")
	g.Expect(alone(l.usage(), "a")).To(BeFalse(), "the next attempt")
	g.Expect(alone(l.usage(), "b")).To(BeFalse(), "the next attempt")
}

// TestDevicesAreFreeBeforeTheManagerUpdates guards against late event handlers of the informer. The manager is such a
// handler, and so is the queue, which requeues a pod when a device is released. The plugin must have seen the
// release by then, because the pod gets no other event.
func TestDevicesAreFreeBeforeTheManagerUpdates(t *testing.T) {
	w := newWorld(t, node("a"), deviceClass(), gpus("a", 1), claimOf("c", request("req", 1)), on(claimOf("d", request("req", 1)), "a", "gpu-0"))
	w.Expect(w.begin(podWith("p", "c")).schedule()).To(unschedulableBecause(cannotAllocate))
	w.checked = false // They differ from now on.
	w.Expect(w.ours().shared.claims.Update(claimOf("d", request("req", 1)))).To(Succeed(), "the informer updates its cache before it calls handlers")
	w.Expect(w.devicesInUse()).To(HaveLen(1))
	w.mustBind(podWith("p", "c"))
	w.Expect(w.devicesOf("c")).To(Equal([]string{"a/gpu-0"}))
}
