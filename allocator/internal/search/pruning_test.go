// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator/internal/search"
)

// unique sets a different value on each device. With distinctAttribute, no two devices are then equivalent.
var unique = attribute("uuid", func(i int) string { return fmt.Sprintf("uuid-%d", i) })

// common sets the same value on all devices, so that a constraint can connect their requests.
var common = attribute("example.com/common", always("x"))

func constrained(claim *resourceapi.ResourceClaim, constraints ...resourceapi.DeviceConstraint) {
	claim.Spec.Devices.Constraints = constraints
}

func sized(sizes ...string) (list []resourceapi.Device) {
	for _, size := range sizes {
		list = append(list, devices(1, attribute("size", always(size)), consumes(always("gpu-0"), map[string]string{"memory": size + "Gi"}))...)
	}
	return list
}

// packing adds n GPUs with 10Gi, each with one partition of 6Gi and two of 5Gi. It returns requests for partitions
// of both sizes. Tests request more partitions than can be packed, although the sum of their sizes is not too large.
func packing(w *world, driver string, n int) (six, five func() resourceapi.DeviceRequest) {
	var sets []resourceapi.CounterSet
	var list []resourceapi.Device
	for i := range n {
		name := fmt.Sprintf("gpu-%d", i)
		sets = append(sets, counterSet(name, map[string]string{"memory": "10Gi"}))
		for j, d := range sized("6", "5", "5") {
			common(j, &d)
			d.Name = fmt.Sprintf("dev-%d-%d", i, j)
			d.ConsumesCounters[0].CounterSet = name
			list = append(list, d)
		}
	}
	w.pool(driver, sets, list...)
	of := func(size string) func() resourceapi.DeviceRequest {
		return func() resourceapi.DeviceRequest {
			return exactly(driver, 1, selecting(fmt.Sprintf(`device.attributes[%q].size == %q`, driver, size)))
		}
	}
	return of("6"), of("5")
}

// Each pruning has an input that takes few steps with it, and too many steps with all other prunings only.
func TestEachPruningIsNeeded(t *testing.T) {
	const few, many = 6_000, 30_000
	for _, test := range []struct {
		name  string
		skip  search.Pruning
		input func(w *world)
		// base is also disabled, because with it this small input takes too few steps.
		base search.Pruning
	}{
		{"counts: admin access to more devices than there are", search.PruneCounts, func(w *world) {
			var sets []resourceapi.CounterSet
			for i := range 24 {
				sets = append(sets, counterSet(fmt.Sprintf("set-%d", i), map[string]string{"memory": fmt.Sprint(i + 1)}))
			}
			w.pool("gpu", sets, devices(24, consumes(func(i int) string { return fmt.Sprintf("set-%d", i) }, map[string]string{"memory": "1"}))...)
			w.claim(exactly("gpu", 25, func(r *resourceapi.ExactDeviceRequest) { r.AdminAccess = ptr.To(true) }))
		}, 0},
		{"matching: requests that exclude one device each", search.PruneMatching, func(w *world) {
			w.pool("gpu", nil, devices(20, unique)...)
			var requests []resourceapi.DeviceRequest
			for i := range 21 {
				requests = append(requests, exactly("gpu", 1, selecting(fmt.Sprintf(`device.attributes["gpu"].uuid != "uuid-%d"`, i))))
			}
			w.claim(requests...)
		}, 0},
		{"match values: no root has enough", search.PruneMatchValues, func(w *world) {
			w.pool("gpu", nil, devices(48, unique, attribute("root", func(i int) string { return fmt.Sprint(i / 24) }))...)
			constrained(w.claim(exactly("gpu", 25)), match("gpu/root"), distinct("gpu/uuid"))
		}, 0},
		{"distinct values: too few", search.PruneDistinctValues, func(w *world) {
			w.pool("gpu", nil, devices(64, unique, attribute("root", func(i int) string { return fmt.Sprint(i % 8) }))...)
			constrained(w.claim(exactly("gpu", 9)), distinct("gpu/root"), distinct("gpu/uuid"))
		}, 0},
		{"counters: memory for nine partitions", search.PruneCounters, func(w *world) {
			w.pool("gpu", []resourceapi.CounterSet{counterSet("gpu", map[string]string{"memory": "95Gi"})},
				devices(32, unique, consumes(always("gpu"), map[string]string{"memory": "10Gi"}))...)
			constrained(w.claim(exactly("gpu", 10)), distinct("gpu/uuid"))
		}, 0},
		{"shares: forty slots for forty-one requests", search.PruneShares, func(w *world) {
			w.pool("nic", nil, devices(8, shared("5"))...)
			slot := func() resourceapi.DeviceRequest {
				return exactly("nic", 1, func(r *resourceapi.ExactDeviceRequest) {
					r.Capacity = &resourceapi.CapacityRequirements{Requests: capacityOf("1")}
				})
			}
			w.claim(repeat(21, slot)...)
			w.claim(repeat(20, slot)...)
		}, 0},
		{"limit: alternatives that exceed the limit of the second claim", search.PruneLimit, func(w *world) {
			w.pool("gpu", nil, devices(40, unique)...)
			w.pool("nic", nil, devices(40)...)
			w.claim(exactly("nic", 1))
			requests := repeat(11, func() resourceapi.DeviceRequest { return firstAvailable(exactly("gpu", 3), exactly("gpu", 2)) })
			constrained(w.claim(append(requests, exactly("nic", 10))...), resourceapi.DeviceConstraint{
				DistinctAttribute: ptr.To(resourceapi.FullyQualifiedName("gpu/uuid")), Requests: names(11),
			})
		}, 0},
		{"symmetry: equal GPUs", search.PruneSymmetry, func(w *world) {
			six, five := packing(w, "gpu", 12)
			w.claim(append(repeat(6, six), repeat(13, five)...)...)
		}, 0},
		{"nogoods: many ways to the same situation", search.PruneNogoods, func(w *world) {
			six, five := packing(w, "gpu", 3)
			w.pool("nic", nil, devices(64, common, attribute("kind", func(i int) string { return fmt.Sprint(i / 4) }))...)
			kind := func(i int) resourceapi.DeviceRequest {
				return exactly("nic", 1, selecting(fmt.Sprintf(`device.attributes["nic"].kind == "%d"`, i)))
			}
			var requests []resourceapi.DeviceRequest
			for i := range 15 {
				requests = append(requests, firstAvailable(kind(i), kind(i+1)))
			}
			constrained(w.claim(append(requests, six(), six(), five(), five(), five())...), match("example.com/common"))
		}, 0},
		{"groups: two searches interleaved", search.PruneGroups, func(w *world) {
			six, five := packing(w, "gpu", 3)
			sixB, fiveB := packing(w, "xpu", 5)
			w.claim(sixB(), six(), sixB(), five(), fiveB(), five(), fiveB(), five(), fiveB(), five(), fiveB(), five())
		}, search.PruneCounters | search.PruneSymmetry},
		{"reserve: requests for all devices of a kind", search.PruneReserve, func(w *world) {
			w.pool("gpu", nil, devices(48, unique, attribute("root", func(i int) string { return fmt.Sprint(i / 24) }),
				attribute("kind", func(i int) string { return fmt.Sprint(i % 24 / 12) }))...)
			kind := all("gpu")
			selecting(`device.attributes["gpu"].kind == "1"`)(kind.Exactly)
			constrained(w.claim(exactly("gpu", 12), exactly("gpu", 1)), match("gpu/root"), distinct("gpu/uuid"))
			w.claim(kind)
		}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			w := &world{}
			test.input(w)
			_, with, err := w.run(t, search.Limits{Steps: many, Skip: test.base})
			t.Logf("with: %d steps, %v", with.Steps, err)
			_, without, errWithout := w.run(t, search.Limits{Steps: many, Skip: test.base | test.skip})
			t.Logf("without: %d steps, %v", without.Steps, errWithout)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(with.Steps).To(BeNumerically("<", few))
			g.Expect(errWithout).To(MatchError(search.ErrBudget))
		})
	}
}

func names(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("r%d", i))
	}
	return list
}
