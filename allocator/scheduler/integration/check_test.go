// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package integration

import (
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/allocator/internal/testkit/check"
	"github.com/draconform/draconform/allocator/internal/testkit/problem"
)

// verify checks all allocations against the rules of the KEPs, without the allocator: each must be correct
// after those before it, in any order. So no device is allocated twice, no counter is overdrawn and no capacity is
// exceeded.
func (c *cluster) verify(claims []resourceapi.ResourceClaim) {
	slices, err := c.ResourceV1().ResourceSlices().List(c.ctx, metav1.ListOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	classes, err := c.ResourceV1().DeviceClasses().List(c.ctx, metav1.ListOptions{})
	c.Expect(err).NotTo(HaveOccurred())
	p := &problem.Problem{}
	for i := range slices.Items {
		p.Slices = append(p.Slices, &slices.Items[i])
	}
	for i := range classes.Items {
		p.Classes = append(p.Classes, &classes.Items[i])
	}
	for i := range claims {
		claim := &claims[i]
		if claim.Status.Allocation == nil {
			continue
		}
		p.Claims = []*resourceapi.ResourceClaim{claim}
		c.Expect(check.Results(p, c.nodeFor(claim, p.Slices), []resourceapi.AllocationResult{*claim.Status.Allocation})).To(Succeed(), "claim %s", claim.Name)
		p.Allocated = append(p.Allocated, claim)
	}
}

// nodeFor returns the node that the devices of a claim belong to.
func (c *cluster) nodeFor(claim *resourceapi.ResourceClaim, slices []*resourceapi.ResourceSlice) *corev1.Node {
	for _, slice := range slices {
		if slice.Spec.Pool.Name == claim.Status.Allocation.Devices.Results[0].Pool {
			node, err := c.CoreV1().Nodes().Get(c.ctx, *slice.Spec.NodeName, metav1.GetOptions{})
			c.Expect(err).NotTo(HaveOccurred())
			return node
		}
	}
	c.Expect(claim.Status.Allocation).To(BeNil(), "claim %s has no pool", claim.Name)
	return nil
}
