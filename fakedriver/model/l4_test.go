// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"testing"

	. "github.com/onsi/gomega"
)

const l4 = "l4"

// The model is used in clusters without support for partitions. Its inventory
// must not depend on the cluster's features.
func TestL4HasNoPartitions(t *testing.T) {
	g := NewWithT(t)
	inventory := load(t, l4, 2)
	g.Expect(inventory.CounterSets).To(BeEmpty())
	g.Expect(inventory.Shared()).To(BeEmpty())
	g.Expect(inventory.Devices).To(HaveLen(2))
	for _, device := range inventory.Devices {
		g.Expect(text(device, AttributeType)).To(Equal(TypeGPU))
		g.Expect(text(device, AttributeUUID)).To(MatchRegexp("^GPU-[0-9a-f-]{36}$"))
		g.Expect(text(device, AttributeParentUUID)).To(Equal(text(device, AttributeUUID)), "it has no parent")
	}
	g.Expect(text(inventory.Devices[0], AttributeUUID)).NotTo(Equal(text(inventory.Devices[1], AttributeUUID)))
	g.Expect(inventory.WithoutCounters()).To(Equal(inventory))
}
