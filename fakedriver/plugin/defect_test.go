// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
)

// Guards that a defect persists until something else is published, and that
// nothing of it remains afterwards.
func TestDefectPersists(t *testing.T) {
	for _, defect := range control.Defects() {
		t.Run(string(defect), func(t *testing.T) {
			t.Parallel()
			r := start(t)
			_, err := r.Publish(t.Context(), second, oneGPU)
			r.g.Expect(err).NotTo(HaveOccurred())
			right := r.slices(second)

			spoiled := oneGPU
			spoiled.Defect = defect
			status, err := r.Publish(t.Context(), second, spoiled)
			r.g.Expect(err).NotTo(HaveOccurred())
			r.g.Expect(status.Pending).To(BeEmpty())
			r.g.Expect(len(r.devices(second))).To(BeNumerically(">=", 26), "the valid devices are published, too")
			wrong := r.slices(second)
			r.g.Consistently(func() []resourceapi.ResourceSlice { return r.slices(second) }, "100ms").Should(Equal(wrong), "it is not repaired")

			_, err = r.Publish(t.Context(), second, oneGPU)
			r.g.Expect(err).NotTo(HaveOccurred())
			again := r.slices(second)
			r.g.Expect(again).To(HaveLen(len(right)))
			for i := range again {
				r.g.Expect(again[i].Spec.Pool.Generation).To(BeNumerically(">", right[i].Spec.Pool.Generation))
				r.g.Expect(again[i].Spec.Pool.ResourceSliceCount).To(Equal(right[i].Spec.Pool.ResourceSliceCount))
				r.g.Expect(again[i].Spec.Devices).To(Equal(right[i].Spec.Devices))
				r.g.Expect(again[i].Spec.SharedCounters).To(Equal(right[i].Spec.SharedCounters))
			}
		})
	}
}

// Guards that a pool has exactly the defect that its name states.
func TestDefect(t *testing.T) {
	for defect, check := range map[control.Defect]func(g Gomega, slices []resourceapi.ResourceSlice){
		control.DuplicateDevice: func(g Gomega, slices []resourceapi.ResourceSlice) {
			g.Expect(slices).To(HaveLen(3))
			g.Expect(slices[2].Spec.Devices).To(HaveExactElements(HaveField("Name", "gpu-0")))
		},
		control.DuplicateCounterSet: func(g Gomega, slices []resourceapi.ResourceSlice) {
			g.Expect(slices[2].Spec.SharedCounters).To(Equal(slices[0].Spec.SharedCounters))
		},
		control.UnknownCounterSet: func(g Gomega, slices []resourceapi.ResourceSlice) {
			g.Expect(slices[2].Spec.Devices[0].ConsumesCounters).To(HaveExactElements(HaveField("CounterSet", "unknown")))
		},
		control.UnknownCounter: func(g Gomega, slices []resourceapi.ResourceSlice) {
			g.Expect(slices[2].Spec.Devices[0].ConsumesCounters).To(HaveExactElements(And(
				HaveField("CounterSet", slices[0].Spec.SharedCounters[0].Name), HaveField("Counters", HaveKey("unknown")))))
		},
		control.MissingSlice: func(g Gomega, slices []resourceapi.ResourceSlice) {
			g.Expect(slices).To(HaveLen(2))
			g.Expect(slices[0].Spec.Pool.ResourceSliceCount).To(Equal(int64(3)))
		},
		control.OldGeneration: func(g Gomega, slices []resourceapi.ResourceSlice) {
			g.Expect(slices[2].Spec.Pool.Generation).To(Equal(slices[0].Spec.Pool.Generation - 1))
			g.Expect(slices[2].Spec.Pool.ResourceSliceCount).To(Equal(int64(1)))
			g.Expect(slices[1].Spec.Pool.ResourceSliceCount).To(Equal(int64(2)))
		},
	} {
		t.Run(string(defect), func(t *testing.T) {
			t.Parallel()
			r := start(t)
			spoiled := oneGPU
			spoiled.Defect = defect
			_, err := r.Publish(t.Context(), second, spoiled)
			r.g.Expect(err).NotTo(HaveOccurred())
			slices := r.slices(second)
			check(r.g, slices)
			for _, slice := range slices {
				r.g.Expect(slice.OwnerReferences).To(HaveLen(1))
				if defect != control.OldGeneration {
					r.g.Expect(slice.Spec.Pool).To(Equal(slices[0].Spec.Pool), "the same generation and slice count")
				}
			}
		})
	}
}

func TestDefectRestart(t *testing.T) {
	r := start(t)
	spoiled := oneGPU
	spoiled.Defect = control.MissingSlice
	_, err := r.Publish(t.Context(), second, spoiled)
	r.g.Expect(err).NotTo(HaveOccurred())
	r = r.restart()
	r.g.Expect(r.Status(t.Context(), second)).To(And(HaveField("Published", spoiled), HaveField("Pending", "")))
	r.g.Expect(r.slices(second)[0].Spec.Pool.ResourceSliceCount).To(Equal(int64(3)))
	r.g.Expect(r.slices(second)).To(HaveLen(2))
}

// Guards that nothing changes if the API server rejects the slices.
func TestDefectIsRejectedByTheAPIServer(t *testing.T) {
	r := start(t)
	r.server.Change(fakeapi.Kubernetes134)
	_, err := r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	before := r.devices(second)
	spoiled := oneGPU
	spoiled.Defect = control.UnknownCounterSet
	_, err = r.Publish(t.Context(), second, spoiled)
	r.g.Expect(err).To(And(MatchError(control.ErrInvalid), MatchError(ContainSubstring("this API server rejects a pool with the defect UnknownCounterSet"))))
	r.g.Eventually(func() (control.Status, error) { return r.Status(t.Context(), second) }, "1m").
		Should(And(HaveField("Published", oneGPU), HaveField("Pending", "")))
	r.g.Expect(r.devices(second)).To(Equal(before))
}

func TestDefectsThatNeedCounters(t *testing.T) {
	r := start(t)
	for _, defect := range []control.Defect{control.DuplicateCounterSet, control.UnknownCounter} {
		spoiled := nics
		spoiled.Defect = defect
		_, err := r.Publish(t.Context(), second, spoiled)
		r.g.Expect(err).To(And(MatchError(control.ErrInvalid), MatchError(ContainSubstring("a pool without counters cannot have the defect "+string(defect)))))
	}
}
