// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package controller

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/fakedriver/classic/calls"
	"github.com/draconform/draconform/fakedriver/classic/internal/fixture"
	"github.com/draconform/draconform/fakedriver/classic/inventory"
	"github.com/draconform/draconform/fakedriver/classic/ledger"
)

var claimResource = resourceapi.SchemeGroupVersion.WithResource("resourceclaims")

// cluster is an API server without schedulers and other controllers.
type cluster struct{ fixture.Cluster }

func newCluster(objects ...runtime.Object) *cluster { return &cluster{fixture.New(Run, objects...)} }

// start starts a process of the driver. stop ends it without any cleanup.
func (c *cluster) start(t *testing.T, devices inventory.Inventory) (stop func()) {
	t.Helper()
	return c.Start(t, c.Parts(devices))
}

// claim returns a claim as it is stored now.
func (c *cluster) claim(g Gomega, name string) *resourceapi.ResourceClaim {
	object, err := c.Client.Tracker().Get(claimResource, fixture.Namespace, name)
	g.Expect(err).NotTo(HaveOccurred())
	return object.(*resourceapi.ResourceClaim)
}

// change changes a claim as a component other than the driver.
func (c *cluster) change(g Gomega, name string, change func(*resourceapi.ResourceClaim)) {
	claim := c.claim(g, name).DeepCopy()
	change(claim)
	g.Expect(c.Client.Tracker().Update(claimResource, claim, fixture.Namespace)).To(Succeed())
}

func class() *resourceapi.DeviceClass {
	return &resourceapi.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "class"}}
}

func newClaim(name string) *resourceapi.ResourceClaim {
	return &resourceapi.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: fixture.Namespace, Name: name, UID: types.UID("uid-" + name), ResourceVersion: "1"},
		Spec: resourceapi.ResourceClaimSpec{Controller: fixture.Driver, Devices: resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{
			{Name: "r", DeviceClassName: "class", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1},
		}}},
	}
}

// podWith returns the pod named pod with claims, and what the scheduler asks drivers for.
func podWith(selected string, potential []string, claims ...string) (*corev1.Pod, *resourceapi.PodSchedulingContext) {
	const name = "pod"
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: fixture.Namespace, Name: name, UID: "uid-" + name}}
	for _, claim := range claims {
		pod.Spec.ResourceClaims = append(pod.Spec.ResourceClaims, corev1.PodResourceClaim{Name: "of-" + claim, ResourceClaimName: &claim})
	}
	asked := &resourceapi.PodSchedulingContext{
		ObjectMeta: metav1.ObjectMeta{Namespace: fixture.Namespace, Name: name, OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(pod, corev1.SchemeGroupVersion.WithKind("Pod"))}},
		Spec:       resourceapi.PodSchedulingContextSpec{SelectedNode: selected, PotentialNodes: potential},
	}
	return pod, asked
}

func expectAllocated(g Gomega, c *cluster, claim, pool string) {
	got := c.claim(g, claim)
	g.Expect(got.Status.Allocation).NotTo(BeNil())
	g.Expect(got.Status.Allocation.Controller).To(Equal(fixture.Driver))
	g.Expect(got.Status.Allocation.Devices.Results).To(HaveLen(1))
	g.Expect(got.Status.Allocation.Devices.Results[0].Pool).To(Equal(pool))
	g.Expect(got.Status.ReservedFor).To(HaveLen(1))
	g.Expect(got.Finalizers).To(ConsistOf(fixture.Finalizer))
}

// A driver that is killed at any write to the API server, before or after it has arrived
// there, continues where it was: a claim has one device, and none is lost.
func TestDriverContinuesAfterItWasKilled(t *testing.T) {
	before, after := fixture.AtEachWrite(t, killed)
	// The finalizer, the ledger and the status, and the same to deallocate.
	NewWithT(t).Expect(min(before, after)).To(BeNumerically(">=", 6))
}

// killed kills a driver at a write while it allocates and deallocates a claim. It
// reports whether there was such a write.
func killed(t *testing.T, at int, after bool) bool {
	g := NewWithT(t)
	pod, asked := podWith("n1", []string{"n1", "n2"}, "claim")
	c := newCluster(fixture.Node("n1", nil), fixture.Node("n2", nil), class(), newClaim("claim"), pod, asked)
	process := c.Kill(t, at, after, inventory.Inventory{PerNode: 1})
	g.Eventually(func(g Gomega) {
		process.Restart()
		expectAllocated(g, c, "claim", "n1")
		g.Expect(c.InUse(g)).To(Equal(map[string]string{"n1/device-0": "claim"}))
	}, fixture.Patience, fixture.Interval).Should(Succeed())
	// The pod is gone, and the controller manager asks for deallocation.
	g.Expect(c.Client.Tracker().Delete(resourceapi.SchemeGroupVersion.WithResource("podschedulingcontexts"), fixture.Namespace, "pod")).To(Succeed())
	g.Eventually(c.expectIdle, fixture.Patience, fixture.Interval).Should(Succeed())
	c.change(g, "claim", func(claim *resourceapi.ResourceClaim) {
		claim.Status.ReservedFor, claim.Status.DeallocationRequested = nil, true
	})
	g.Eventually(func(g Gomega) {
		process.Restart()
		claim := c.claim(g, "claim")
		g.Expect(claim.Status.Allocation).To(BeNil())
		g.Expect(claim.Status.DeallocationRequested).To(BeFalse())
		g.Expect(c.InUse(g)).To(BeEmpty())
	}, fixture.Patience, fixture.Interval).Should(Succeed())
	// Kubernetes' package leaves its finalizer to a claim if the driver is killed just
	// before it removes it. It is removed when the claim is deleted.
	g.Eventually(c.expectIdle, fixture.Patience, fixture.Interval).Should(Succeed())
	process.Restart()
	c.change(g, "claim", func(claim *resourceapi.ResourceClaim) { claim.DeletionTimestamp = &metav1.Time{Time: time.Now()} })
	g.Eventually(func(g Gomega) {
		process.Restart()
		g.Expect(c.claim(g, "claim").Finalizers).To(BeEmpty())
	}, fixture.Patience, fixture.Interval).Should(Succeed())
	return process.Killed
}

// expectIdle checks that the driver does not write for a while. The fake API server
// has no conflicts, so a late write of the driver would undo those of others.
func (c *cluster) expectIdle(g Gomega) {
	g.Consistently(c.Writes, "20ms", "5ms").Should(Equal(c.Writes()))
}

// A node without enough devices for all claims of a pod is unsuitable for all of them.
func TestUnsuitableNodes(t *testing.T) {
	g := NewWithT(t)
	pod, asked := podWith("", []string{"full", "other-rack", "small"}, "a", "b")
	c := newCluster(fixture.Node("full", map[string]string{"rack": "1"}), fixture.Node("small", map[string]string{"rack": "1"}), fixture.Node("other-rack", nil), class(), newClaim("a"), newClaim("b"), pod, asked)
	defer c.start(t, inventory.Inventory{PerNode: 1, Nodes: map[string]string{"rack": "1"}})()
	g.Eventually(func(g Gomega) {
		object, err := c.Client.Tracker().Get(resourceapi.SchemeGroupVersion.WithResource("podschedulingcontexts"), fixture.Namespace, "pod")
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(object.(*resourceapi.PodSchedulingContext).Status.ResourceClaims).To(ConsistOf(
			resourceapi.ResourceClaimSchedulingStatus{Name: "of-a", UnsuitableNodes: []string{"full", "other-rack", "small"}},
			resourceapi.ResourceClaimSchedulingStatus{Name: "of-b", UnsuitableNodes: []string{"full", "other-rack", "small"}},
		))
	}, fixture.Patience, fixture.Interval).Should(Succeed())
	g.Expect(c.claim(g, "a").Finalizers).To(BeEmpty(), "no node is selected")
}

// Devices of the network are available on all nodes, and a fault makes one call fail.
func TestNetworkDevicesAndFaults(t *testing.T) {
	g := NewWithT(t)
	pod, asked := podWith("n1", nil, "claim")
	c := newCluster(fixture.Node("n1", nil), class(), newClaim("claim"), pod, asked)
	p := c.Parts(inventory.Inventory{Network: 1})
	g.Expect(p.Calls.Inject(calls.Fault{Method: calls.Allocate, Action: calls.Fail, Count: 1, Message: "not now"})).To(Succeed())
	defer c.Start(t, p)()
	g.Eventually(func(g Gomega) {
		expectAllocated(g, c, "claim", inventory.NetworkPool)
		g.Expect(c.claim(g, "claim").Status.Allocation.NodeSelector).To(BeNil())
	}, fixture.Patience, fixture.Interval).Should(Succeed())
	log := p.Calls.Calls(0)
	g.Expect(log[0].Error).To(Equal("not now"))
	g.Expect(log[0].Fault).To(Equal(calls.Fail))
	g.Expect(log[len(log)-1].Claims[0].Devices).To(Equal([]string{"network/device-0"}))
}

// A device of a claim that was deleted by force, without its finalizer, is used again.
func TestDevicesOfClaimsDeletedByForceAreFree(t *testing.T) {
	g := NewWithT(t)
	pod, asked := podWith("n1", nil, "claim")
	c := newCluster(fixture.Node("n1", nil), class(), newClaim("claim"), pod, asked)
	l := ledger.Ledger{Client: c.Client, Namespace: fixture.Namespace, Name: fixture.Driver}
	g.Expect(l.Change(t.Context(), func(held ledger.Held) error {
		held[inventory.Device{Pool: "n1", Name: "device-0"}] = ledger.Claim{Namespace: fixture.Namespace, Name: "gone", UID: "uid-gone"}
		return nil
	})).To(Succeed())
	defer c.start(t, inventory.Inventory{PerNode: 1})()
	g.Eventually(func(g Gomega) { expectAllocated(g, c, "claim", "n1") }, fixture.Patience, fixture.Interval).Should(Succeed())
	g.Expect(c.InUse(g)).To(Equal(map[string]string{"n1/device-0": "claim"}))
}
