// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	fwk "k8s.io/kube-scheduler/framework"
)

// fail runs the cycle up to PostFilter for a pod that no node can run.
func (w *world) fail(pod *corev1.Pod) *fwk.Status {
	c := w.begin(pod)
	w.Expect(c.schedule().IsRejected()).To(BeTrue())
	_, status := w.plugin.PostFilter(w.ctx, c.state, pod, nil)
	return status
}

func TestPostFilterDeallocatesClaimsWithoutOtherConsumers(t *testing.T) {
	pod, other := podWith("p", "c"), podWith("other", "c")
	for name, tc := range map[string]struct {
		consumers []*corev1.Pod
		freed     bool
	}{
		"unused":           {nil, true},
		"used by the pod":  {[]*corev1.Pod{pod}, true},
		"used by another":  {[]*corev1.Pod{other}, false},
		"used by them all": {[]*corev1.Pod{pod, other}, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, node("a"), deviceClass(), on(claimOf("c", request("req", 1)), "removed", "gpu-0", tc.consumers...))
			status := w.fail(pod)
			if tc.freed {
				// The code is not Unschedulable, because then preemption would
				// evict pods without need.
				w.Expect(status).To(haveStatus(fwk.UnschedulableAndUnresolvable, "deallocation of ResourceClaim completed"))
				w.Expect(w.claim("c").Status).To(Equal(resourceapi.ResourceClaimStatus{}))
			} else {
				w.Expect(status).To(haveStatus(fwk.Unschedulable, ""))
				w.Expect(w.devicesOf("c")).To(Equal([]string{"removed/gpu-0"}))
			}
		})
	}
}

func TestPostFilterDeallocatesOneClaimAtATime(t *testing.T) {
	w := newWorld(t, node("a"), on(claimOf("c1", request("req", 1)), "removed", "gpu-0"), on(claimOf("c2", request("req", 1)), "removed", "gpu-1"))
	w.fail(podWith("p", "c1", "c2"))
	w.Expect(w.devicesOf("c1")).To(BeEmpty())
	w.Expect(w.devicesOf("c2")).NotTo(BeEmpty())
}

func TestPostFilterDeallocatesNothingIfDevicesAreMissing(t *testing.T) {
	w := newWorld(t, oneDevice()...)
	w.mustBind(podWith("p1", "c1"))
	w.Expect(w.fail(podWith("p2", "c2"))).To(haveStatus(fwk.Unschedulable, ""))
	w.Expect(w.devicesOf("c1")).NotTo(BeEmpty())
}

func TestPostFilterReportsFailedCalls(t *testing.T) {
	w := newWorld(t, node("a"), on(claimOf("c", request("req", 1)), "removed", "gpu-0"))
	w.failOn("update", "resourceclaims/status", errors.New("server is down"))
	w.Expect(w.fail(podWith("p", "c"))).To(haveStatus(fwk.Error, "deallocate resourceclaim default/c: server is down"))
}

// setCondition sets a condition of the device that a claim holds.
func setCondition(claim *resourceapi.ResourceClaim, name string) {
	r := claim.Status.Allocation.Devices.Results[0]
	claim.Status.Devices = []resourceapi.AllocatedDeviceStatus{{
		Driver: r.Driver, Pool: r.Pool, Device: r.Device, Conditions: conditions(name),
	}}
}

func bindingObjects() []runtime.Object {
	attached := gpus("a", 2, func(d *resourceapi.Device) {
		d.BindingConditions, d.BindingFailureConditions = []string{"attached"}, []string{"failed"}
	})
	return []runtime.Object{node("a"), deviceClass(), attached, claimOf("c", request("req", 1))}
}

func TestPreBindWaitsForBindingConditions(t *testing.T) {
	w := newWorld(t, bindingObjects()...)
	c := w.begin(podWith("p", "c"))
	w.Expect(c.schedule()).To(succeed())
	done := make(chan *fwk.Status, 1)
	go func() { done <- c.bind() }()
	w.Eventually(func() *resourceapi.AllocationResult { return w.seen("c").Status.Allocation }).ShouldNot(BeNil())
	w.Consistently(done, "200ms").ShouldNot(Receive())
	w.Expect(w.devicesInUse()).To(ConsistOf("gpu.example.com/a/gpu-0"))
	w.updateClaim("c", func(c *resourceapi.ResourceClaim) { setCondition(c, "attached") })
	w.Eventually(done).Should(Receive(succeed()))
}

func TestFailedBindingConditionIsReallocated(t *testing.T) {
	w := newWorld(t, bindingObjects()...)
	pod := podWith("p", "c")
	c := w.begin(pod)
	w.Expect(c.schedule()).To(succeed())
	done := make(chan *fwk.Status, 1)
	go func() { done <- c.bind() }()
	w.Eventually(func() *resourceapi.AllocationResult { return w.seen("c").Status.Allocation }).ShouldNot(BeNil())
	w.updateClaim("c", func(c *resourceapi.ResourceClaim) { setCondition(c, "failed") })
	w.Eventually(done).Should(Receive(haveStatus(fwk.Error, ErrBindingFailed.Error())))
	c.unreserve()
	w.Expect(w.claim("c").Status.ReservedFor).To(BeEmpty())

	w.Eventually(func() int { return len(w.seen("c").Status.ReservedFor) }).Should(BeZero())
	w.Expect(w.fail(pod)).To(unschedulableBecause("deallocation of ResourceClaim completed"))
	w.Expect(w.devicesOf("c")).To(BeEmpty())
}

func TestOverdueBindingConditionIsReallocated(t *testing.T) {
	claim := on(claimOf("c", request("req", 1)), "a", "gpu-0")
	claim.Status.Allocation.Devices.Results[0].BindingConditions = []string{"attached"}
	claim.Status.Allocation.AllocationTimestamp = longAgo()
	w := newWorld(t, node("a"), claim)
	c := w.begin(podWith("p", "c"))
	w.Expect(c.schedule()).To(unschedulableBecause(ErrBindingTimeout.Error()))
	_, status := w.plugin.PostFilter(w.ctx, c.state, c.pod, nil)
	w.Expect(status).To(unschedulableBecause("deallocation of ResourceClaim completed"))
}

func TestPreBindStopsWaiting(t *testing.T) {
	w := newWorld(t, bindingObjects()...)
	w.ours().args.BindingTimeout = seconds(1)
	c := w.begin(podWith("p", "c"))
	w.Expect(c.schedule()).To(succeed())
	w.Expect(c.bind()).To(haveStatus(fwk.Error, ErrBindingTimeout.Error()))
}
