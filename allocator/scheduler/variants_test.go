// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_variants

package scheduler

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/internal/variant"
)

// turnOn turns a variant on until the end of a test.
func turnOn(t *testing.T, variant *bool) {
	t.Helper()
	*variant = true
	t.Cleanup(func() { *variant = false })
}

func TestRightAllocatorTakesLastDevices(t *testing.T) {
	turnOn(t, &variant.TakesLastDevices)
	w := newWorld(t, node("a"), deviceClass(), gpus("a", 3), claimOf("c", request("req", 2)))
	w.mustBind(podWith("p", "c"))
	w.Expect(w.devicesOf("c")).To(Equal([]string{"a/gpu-1", "a/gpu-2"}), "not the first one")
}

func TestRightAllocatorListsResultsBackwards(t *testing.T) {
	turnOn(t, &variant.ListsResultsBackwards)
	w := newWorld(t, node("a"), deviceClass(), gpus("a", 3), claimOf("c", request("first", 1), request("second", 1)))
	w.mustBind(podWith("p", "c"))
	w.Expect(w.claim("c").Status.Allocation.Devices.Results).To(HaveExactElements(
		And(HaveField("Request", "second"), HaveField("Device", "gpu-1")), And(HaveField("Request", "first"), HaveField("Device", "gpu-0"))))
}

func TestRightAllocatorConfiguresRequestsApart(t *testing.T) {
	turnOn(t, &variant.ConfiguresRequestsApart)
	configured := deviceClass()
	configured.Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: resourceapi.DeviceConfiguration{
		Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver, Parameters: runtime.RawExtension{Raw: []byte("{}")}},
	}}}
	w := newWorld(t, node("a"), configured, gpus("a", 3), claimOf("c", request("first", 1), request("second", 1)))
	w.mustBind(podWith("p", "c"))
	w.Expect(w.claim("c").Status.Allocation.Devices.Config).To(HaveExactElements(
		HaveField("Requests", []string{"first"}), HaveField("Requests", []string{"second"})))
}

// The first update has the allocation only, and the second one the reservation.
func TestRightSchedulerReservesSeparately(t *testing.T) {
	for name, test := range map[string]struct {
		objects []runtime.Object
		pod     *corev1.Pod
	}{
		"a claim":            {oneDevice(), podWith("p", "c1")},
		"extended resources": {extendedObjects(extendedPod("p", "2")), extendedPod("p", "2")},
	} {
		t.Run(name, func(t *testing.T) {
			turnOn(t, &variant.ReservesSeparately)
			w := newWorld(t, test.objects...)
			w.client.ClearActions()
			w.mustBind(test.pod)
			var reserved []int
			for _, action := range w.client.Actions() {
				if update, ok := action.(clienttesting.UpdateAction); ok && action.Matches("update", "resourceclaims") && action.GetSubresource() == "status" {
					claim := update.GetObject().(*resourceapi.ResourceClaim)
					w.Expect(claim.Status.Allocation).NotTo(BeNil())
					reserved = append(reserved, len(claim.Status.ReservedFor))
				}
			}
			w.Expect(reserved).To(Equal([]int{0, 1}))
			w.Expect(w.claims()).To(ContainElement(HaveField("Status.ReservedFor", HaveLen(1))))
		})
	}
}

// The number of pods only matters for nodes with the same score otherwise.
func TestRightSchedulersCountPods(t *testing.T) {
	g := NewWithT(t)
	few, many := func() int64 { return withPods(1, 2) }, func() int64 { return withPods(1, 1000) }
	g.Expect(few()).To(Equal(many()), "without a variant")
	t.Run("packs", func(t *testing.T) {
		turnOn(t, &variant.PacksPods)
		g.Expect(many()).To(BeNumerically(">", few()))
		g.Expect(withPods(2, 0)).To(BeNumerically(">", many()))
	})
	t.Run("spreads", func(t *testing.T) {
		turnOn(t, &variant.SpreadsPods)
		g.Expect(few()).To(BeNumerically(">", many()))
		g.Expect(withPods(2, 1000)).To(BeNumerically(">", few()))
	})
}

func TestRightSchedulerReportsInOtherWords(t *testing.T) {
	turnOn(t, &variant.ReportsInOtherWords)
	w := newWorld(t, oneDevice()...)
	w.mustBind(podWith("p1", "c1"))
	w.Expect(w.begin(podWith("p2", "c2")).schedule()).To(unschedulableBecause("its devices do not suffice"))
}
