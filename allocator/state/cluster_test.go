// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/dynamic-resource-allocation/structured"
)

// Two shares of a NIC, a whole GPU, another GPU with admin access, and a pending claim.
const claims = `
apiVersion: v1
kind: List
items:
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaim
  metadata: {namespace: a, name: one}
  status: {allocation: {devices: {results: [
    {request: nic, driver: nic, pool: p, device: d, shareID: 11111111-1111-4111-8111-111111111111, consumedCapacity: {bandwidth: 2G}},
    {request: gpu, driver: gpu, pool: p, device: d}]}}}
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaim
  metadata: {namespace: a, name: two}
  status: {allocation: {devices: {results: [
    {request: nic, driver: nic, pool: p, device: d, shareID: 22222222-2222-4222-8222-222222222222, consumedCapacity: {bandwidth: 3G}},
    {request: gpu, driver: gpu, pool: p, device: seen, adminAccess: true}]}}}
- apiVersion: resource.k8s.io/v1
  kind: ResourceClaim
  metadata: {namespace: a, name: waits}
`

func TestAllocatedStateIsWhatClaimsHold(t *testing.T) {
	g := NewWithT(t)
	objects, err := readText(claims)
	g.Expect(err).NotTo(HaveOccurred())
	state := objects.AllocatedState(structured.Features{ConsumableCapacity: true})
	nic := structured.MakeDeviceID("nic", "p", "d")
	g.Expect(state.AllocatedDevices.UnsortedList()).To(ConsistOf(structured.MakeDeviceID("gpu", "p", "d")))
	g.Expect(state.AllocatedSharedDeviceIDs).To(HaveLen(2))
	g.Expect(state.AggregatedCapacity[nic]["bandwidth"].Cmp(resource.MustParse("5G"))).To(Equal(0))
	g.Expect(objects.Pending()).To(HaveLen(1))
	g.Expect(objects.Pending()[0].Name).To(Equal("waits"))
}

func TestWithoutConsumableCapacityAShareHoldsTheDevice(t *testing.T) {
	g := NewWithT(t)
	objects, err := readText(claims)
	g.Expect(err).NotTo(HaveOccurred())
	state := objects.AllocatedState(structured.Features{})
	g.Expect(state.AllocatedDevices.Has(structured.MakeDeviceID("nic", "p", "d"))).To(BeTrue())
	g.Expect(state.AllocatedSharedDeviceIDs).To(BeEmpty())
}

func TestNodesAreThoseOfSlicesUnlessThereAreNodeObjects(t *testing.T) {
	g := NewWithT(t)
	slices := `
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: a}, spec: {driver: d, nodeName: worker-2, pool: {name: a, generation: 1, resourceSliceCount: 1}}}
---
{apiVersion: resource.k8s.io/v1, kind: ResourceSlice, metadata: {name: b}, spec: {driver: d, perDeviceNodeSelection: true, pool: {name: b, generation: 1, resourceSliceCount: 1},
  devices: [{name: x, nodeName: worker-1}, {name: z, allNodes: true}]}}
`
	objects, err := readText(slices)
	g.Expect(err).NotTo(HaveOccurred())
	names := func(nodes []*corev1.Node) (list []string) {
		for _, node := range nodes {
			list = append(list, node.Name)
		}
		return list
	}
	g.Expect(names(objects.AllNodes())).To(Equal([]string{"worker-1", "worker-2"}))
	objects, err = readText(slices + "---\n{apiVersion: v1, kind: Node, metadata: {name: other}}\n")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(names(objects.AllNodes())).To(Equal([]string{"other"}))
}
