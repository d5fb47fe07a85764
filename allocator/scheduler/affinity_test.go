// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
)

func TestDeviceIsLockedFromReserveUntilItsClaimsAreReleased(t *testing.T) {
	w := newWorld(t, oneNIC()...)
	unschedulable := func(when string) {
		w.Expect(w.begin(podWith("py", "y")).schedule()).To(unschedulableBecause(cannotAllocate), when)
		w.Expect(w.begin(podWith("pn", "none")).schedule()).To(unschedulableBecause(cannotAllocate), when)
	}
	first, second := w.begin(podWith("p1", "x1")), w.begin(podWith("p2", "x2"))
	w.Expect(first.schedule()).To(succeed())
	unschedulable("one in flight")
	w.Expect(second.schedule()).To(succeed(), "the same value")
	unschedulable("two in flight")
	w.Expect(first.bind()).To(succeed())
	unschedulable("one bound, one in flight")
	w.Expect(second.bind()).To(succeed())
	unschedulable("two bound")
	w.Expect(w.devicesOf("x1")).To(Equal(w.devicesOf("x2")))

	w.release("x1")
	unschedulable("one released")
	w.release("x2")
	w.mustBind(podWith("py", "y"))
	w.Expect(w.begin(podWith("p3", "x3")).schedule()).To(unschedulableBecause(cannotAllocate))
}

// release deallocates a claim.
func (w *world) release(claim string) {
	w.updateClaim(claim, func(c *resourceapi.ResourceClaim) { c.Status = resourceapi.ResourceClaimStatus{} })
}

func TestLockOfAPodThatIsNotBoundIsReleased(t *testing.T) {
	for name, fail := range map[string]func(w *world, c *cycle){
		"another plugin rejects it": func(*world, *cycle) {},
		"its claim is not written": func(w *world, c *cycle) {
			w.failOn("update", "resourceclaims/status", errors.New("server is down"))
			w.Expect(c.bind()).To(haveStatus(fwk.Error, "server is down"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, oneNIC()...)
			c := w.begin(podWith("px", "x1"))
			w.Expect(c.schedule()).To(succeed())
			waiting := podWith("py", "y")
			w.Expect(w.begin(waiting).schedule()).To(unschedulableBecause(cannotAllocate))
			fail(w, c)
			c.unreserve()
			hint, err := w.ours().afterPodDeletion(klog.Logger{}, waiting, c.pod, nil)
			w.Expect(err).NotTo(HaveOccurred())
			w.Expect(hint).To(Equal(fwk.Queue))
			w.Expect(w.begin(waiting).schedule()).To(succeed())
		})
	}
}

func TestReleasedLockQueuesThePodsThatWaitForIt(t *testing.T) {
	w := newWorld(t, oneNIC()...)
	w.mustBind(podWith("px", "x1"))
	before := w.seen("x1")
	w.release("x1")
	pre, err := w.ours().podsAffectedByClaim(klog.Logger{}, before, w.seen("x1"))
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(pre.AllPods).To(BeTrue())
	hint, err := w.ours().afterClaimChange(klog.Logger{}, podWith("py", "y"), before, w.seen("x1"))
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(hint).To(Equal(fwk.Queue))
}

func TestStartingSchedulerReadsTheLocks(t *testing.T) {
	w := newWorld(t, oneNIC(sharing("before", "x"))...)
	w.Expect(w.begin(podWith("py", "y")).schedule()).To(unschedulableBecause(cannotAllocate))
	w.mustBind(podWith("px", "x1"))
}

func TestSharingAffinityCanBeDisabled(t *testing.T) {
	w := newWorldWith(t, defaultFeatures(), func(w *world) (draPlugin, error) {
		return newPlugin(w.ctx, &runtime.Unknown{Raw: []byte(`{"sharingAffinity": false}`)}, w.handle, w.features)
	}, oneNIC()...)
	for _, claim := range []string{"x1", "y", "none"} {
		w.mustBind(podWith("p-"+claim, claim))
		w.Expect(w.devicesOf(claim)).To(Equal([]string{"a/gpu-0"}))
	}
}

func TestPodsWithTheSameValuesShareDevices(t *testing.T) {
	w := newWorld(t, node("a"), node("b"), node("c"), deviceClass(), nics("a", 1), nics("b", 2), nics("c", 1),
		inSubnet("x1", "x"), inSubnet("x2", "x"), inSubnet("y1", "y"), inSubnet("y2", "y"))
	pin := func(c *cycle, name string) { // As if a selector of the pod left only this node.
		w.Expect(c.preFilter()).To(succeed())
		w.Expect(c.filter()[name]).To(succeed())
		c.node = name
		w.Expect(w.plugin.Reserve(w.ctx, c.state, c.pod, name)).To(succeed())
	}
	pin(w.begin(podWith("px", "x1")), "b")
	second := w.begin(podWith("py", "y1"))
	pin(second, "b")
	for claim, device := range map[string]string{"x2": "b/gpu-0", "y2": "b/gpu-1"} {
		w.mustBind(podWith("p-"+claim, claim))
		w.Expect(w.devicesOf(claim)).To(Equal([]string{device}), "rather than a clean device of node a, or of b")
	}
}

func TestLockedDevicesOfANodeArePreferred(t *testing.T) {
	before := sharing("before", "x")
	before.Status.Allocation.Devices.Results[0].Device = "gpu-1"
	w := newWorld(t, node("a"), deviceClass(), nics("a", 2), before, inSubnet("x1", "x"), inSubnet("y", "y"))
	w.mustBind(podWith("px", "x1"))
	w.mustBind(podWith("py", "y"))
	w.Expect(w.devicesOf("x1")).To(Equal([]string{"a/gpu-1"}))
	w.Expect(w.devicesOf("y")).To(Equal([]string{"a/gpu-0"}))
}

func TestAlternativesMatterMoreThanLocks(t *testing.T) {
	preferred := inSubnet("c", "x")
	preferred.Spec.Devices.Requests = []resourceapi.DeviceRequest{firstOf("req", 2, 1)}
	w := newWorld(t, node("a"), node("b"), deviceClass(), nics("a", 1), nics("b", 2), inSubnet("x1", "x"), preferred)
	c := w.mustBind(podWith("px", "x1"))
	w.Expect(c.node).To(Equal("a"))
	w.Expect(w.mustBind(podWith("p", "c")).node).To(Equal("b"), "node b has two devices")
}

func TestProfilesShareLocks(t *testing.T) {
	w := newWorld(t, oneNIC()...)
	other, err := newPlugin(w.ctx, nil, profileNamed{w.handle, "other"}, w.features)
	w.Expect(err).NotTo(HaveOccurred())
	w.Expect(w.begin(podWith("px", "x1")).schedule()).To(succeed())
	w.plugin = other
	w.Expect(w.begin(podWith("py", "y")).schedule()).To(unschedulableBecause(cannotAllocate))
	w.Expect(w.begin(podWith("p2", "x2")).schedule()).To(succeed())
}

type profileNamed struct {
	fwk.Handle
	name string
}

func (p profileNamed) ProfileName() string { return p.name }

func TestClaimsForExtendedResourcesLockDevicesWithTheValuesOfTheirClass(t *testing.T) {
	class := extendedClass()
	class.Spec.Config = []resourceapi.DeviceClassConfiguration{{DeviceConfiguration: statesSubnet("x")}}
	pod := extendedPod("p", "1")
	w := newWorld(t, node("a"), class, nics("a", 1), pod, claimOf("same", request("req", 1)), inSubnet("y", "y"))
	c := w.begin(pod)
	w.Expect(c.schedule()).To(succeed())
	for _, when := range []string{"in flight", "bound"} {
		w.Expect(w.begin(podWith("py", "y")).schedule()).To(unschedulableBecause(cannotAllocate), when)
		second := w.begin(podWith("ps", "same"))
		w.Expect(second.schedule()).To(succeed(), when)
		second.unreserve()
		if when == "in flight" {
			w.Expect(c.bind()).To(succeed())
		}
	}
}

func TestLocksOfOneDeviceDoNotConcernAnother(t *testing.T) {
	w := newWorld(t, node("a"), deviceClass(), nics("a", 2), inSubnet("x1", "x"), inSubnet("y", "y"), inSubnet("z", "z"))
	w.mustBind(podWith("p", "x1", "y"))
	w.Expect(w.devicesOf("x1")).NotTo(Equal(w.devicesOf("y")))
	w.Expect(w.begin(podWith("pz", "z")).schedule()).To(unschedulableBecause(cannotAllocate))
}

func TestReleaseOfAKnownClaimKeepsTheLock(t *testing.T) {
	w := newWorld(t, oneNIC()...)
	w.mustBind(podWith("p1", "x1"))
	w.mustBind(podWith("p2", "x2"))
	w.release("x1")
	w.mustBind(podWith("p3", "x3"))
	w.Expect(w.devicesOf("x3")).To(Equal(w.devicesOf("x2")))
}
