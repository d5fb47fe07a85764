// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/control"
)

// Guards that only its generation prevents the obsolete device of OldGeneration
// from being allocated.
func TestObsoleteDevice(t *testing.T) {
	r := start(t)
	spoiled := oneGPU
	spoiled.Defect = control.OldGeneration
	_, err := r.Publish(t.Context(), second, spoiled)
	r.g.Expect(err).NotTo(HaveOccurred())
	for name, features := range variants {
		gpus := func(stored []resourceapi.ResourceSlice, count int64) verdict {
			return allocate(t.Context(), r.g, features, stored, count, ofSecond+" && "+anyGPU)
		}
		r.g.Expect(gpus(r.slices(second), 1).devices).To(Equal([]string{second + "/gpu-0"}), name)
		two := gpus(r.slices(second), 2)
		r.g.Expect(two.err).NotTo(HaveOccurred(), name)
		r.g.Expect(two.devices).To(BeEmpty(), name)
		r.g.Expect(gpus(renewed(r.slices(second)), 2).devices).To(ConsistOf(second+"/gpu-0", second+"/"+control.ObsoleteDevice), name)
	}

	_, err = r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.devices(second)).NotTo(ContainElement(control.ObsoleteDevice))
}

// renewed changes all slices to the newest generation.
func renewed(stored []resourceapi.ResourceSlice) []resourceapi.ResourceSlice {
	generation := newest(stored)
	for i := range stored {
		stored[i].Spec.Pool.Generation, stored[i].Spec.Pool.ResourceSliceCount = generation, int64(len(stored))
	}
	return stored
}

// newest returns the highest generation.
func newest(stored []resourceapi.ResourceSlice) int64 {
	var generation int64
	for _, slice := range stored {
		generation = max(generation, slice.Spec.Pool.Generation)
	}
	return generation
}
