// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package multihost

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/topology"
	"github.com/draconform/draconform/internal/fault"
)

// published returns the pool of the topology 4x4 as the controller publishes it
// with a fault.
func published(t *testing.T, fault *bool) *topology.Pool {
	t.Helper()
	*fault = true
	t.Cleanup(func() { *fault = false })
	described, err := topology.Load("4x4")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return misdescribed(described.Pool(described.Nodes()))
}

func TestWrongControllerMisstatesShapes(t *testing.T) {
	shapes := func(pool *topology.Pool) map[string]int {
		count := map[string]int{}
		for _, device := range pool.Devices {
			count[*device.Attributes[topology.AttributeShape].StringValue]++
		}
		return count
	}
	g := NewWithT(t)
	g.Expect(shapes(published(t, new(bool)))).To(Equal(map[string]int{"2x2": 4, "2x4": 2, "4x4": 1}))
	g.Expect(shapes(published(t, &fault.MisstatesShapes))).To(Equal(map[string]int{"2x4": 6, "4x4": 1}))
}

func TestWrongControllerPublishesWithoutCounters(t *testing.T) {
	NewWithT(t).Expect(published(t, &fault.PublishesWithoutCounters).Devices).To(HaveEach(HaveField("ConsumesCounters", BeEmpty())))
}
