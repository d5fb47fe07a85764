// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"
	fwk "k8s.io/kube-scheduler/framework"
)

func oneDevice() []runtime.Object {
	return []runtime.Object{node("a"), deviceClass(), gpus("a", 1), claimOf("c1", request("req", 1)), claimOf("c2", request("req", 1))}
}

func TestReservedDevicesAreAllocatedBeforeTheyAreWritten(t *testing.T) {
	w := newWorld(t, oneDevice()...)
	first := w.begin(podWith("p1", "c1"))
	w.Expect(first.schedule()).To(succeed())
	w.Expect(w.devicesInUse()).To(ConsistOf("gpu.example.com/a/gpu-0"))
	w.Expect(w.claim("c1").Status.Allocation).To(BeNil())

	w.Expect(w.begin(podWith("p2", "c2")).schedule()).To(unschedulableBecause(cannotAllocate))
}

func TestUnreserveReleasesDevicesImmediately(t *testing.T) {
	w := newWorld(t, oneDevice()...)
	first := w.begin(podWith("p1", "c1"))
	w.Expect(first.schedule()).To(succeed())
	first.unreserve()
	w.Expect(w.devicesInUse()).To(BeEmpty())
	first.unreserve() // The framework may call it more than once.

	w.mustBind(podWith("p2", "c2"))
	w.Expect(w.begin(podWith("p1", "c1")).schedule()).To(unschedulableBecause(cannotAllocate))
}

func TestFailedReserveOfTheSecondClaimReleasesTheFirst(t *testing.T) {
	w := newWorld(t, append(oneDevice(), node("b"), gpus("b", 2))...)
	c := w.begin(podWith("p", "c1", "c2"))
	w.Expect(c.preFilter()).To(succeed())
	c.filter()
	// The manager looks up a claim before it records its allocation.
	w.Expect(w.client.ResourceV1().ResourceClaims("default").Delete(w.ctx, "c2", metav1.DeleteOptions{})).To(Succeed())
	w.Eventually(func() error { _, err := w.manager.ResourceClaims().Get("default", "c2"); return err }).ShouldNot(Succeed())
	c.node = "b"
	w.Expect(w.plugin.Reserve(w.ctx, c.state, c.pod, "b")).To(haveStatus(fwk.Error, "mark the allocation of resourceclaim default/c2 as pending"))
	w.Expect(w.devicesInUse()).To(HaveLen(1))
	c.unreserve()
	w.Expect(w.devicesInUse()).To(BeEmpty())
}

func TestPreBindWritesAllocationFinalizerAndConsumer(t *testing.T) {
	w := newWorld(t, oneDevice()...)
	pod := podWith("p1", "c1")
	w.mustBind(pod)
	claim := w.claim("c1")
	w.Expect(claim.Finalizers).To(ConsistOf(resourceapi.Finalizer))
	w.Expect(claim.Status.ReservedFor).To(ConsistOf(consumer(pod)))
	w.Expect(w.devicesOf("c1")).To(Equal([]string{"a/gpu-0"}))
	w.Expect(claim.Status.Allocation.AllocationTimestamp).NotTo(BeNil())
	w.Expect(w.manager.ResourceClaims().GetPendingAllocation(claim.UID)).To(BeNil(), "no longer in flight")
	w.Expect(w.seen("c1").Status.Allocation).NotTo(BeNil(), "assumed")
	w.Expect(w.devicesInUse()).To(ConsistOf("gpu.example.com/a/gpu-0"))
}

func TestPreBindRetriesAfterAConflict(t *testing.T) {
	w := newWorld(t, oneDevice()...)
	c := w.begin(podWith("p1", "c1"))
	w.Expect(c.schedule()).To(succeed())
	w.updateClaim("c1", func(claim *resourceapi.ResourceClaim) { claim.Labels = map[string]string{"touched": "true"} })
	w.Expect(c.bind()).To(succeed())
	w.Expect(w.claim("c1").Labels).To(HaveKey("touched"))
	w.Expect(w.devicesOf("c1")).To(Equal([]string{"a/gpu-0"}))
}

func TestPreBindFailsForClaimsThatOthersChanged(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(w *world)
		reason string
	}{
		"allocated": {func(w *world) {
			w.updateClaim("c1", func(c *resourceapi.ResourceClaim) { on(c, "a", "gpu-0") })
		}, "allocated by another scheduler"},
		"replaced": {func(w *world) {
			w.Expect(w.client.ResourceV1().ResourceClaims("default").Delete(w.ctx, "c1", metav1.DeleteOptions{})).To(Succeed())
			other := claimOf("c1", request("req", 1))
			other.UID = "another"
			w.create(other)
		}, "replaced by another one"},
		"deleted": {func(w *world) {
			w.Expect(w.client.ResourceV1().ResourceClaims("default").Delete(w.ctx, "c1", metav1.DeleteOptions{})).To(Succeed())
		}, "not found"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, oneDevice()...)
			c := w.begin(podWith("p1", "c1"))
			w.Expect(c.schedule()).To(succeed())
			tc.change(w)
			w.Expect(c.bind()).To(haveStatus(fwk.Error, tc.reason))
			c.unreserve()
			w.Expect(w.manager.ResourceClaims().GetPendingAllocation("uid-c1")).To(BeNil())
		})
	}
}

func TestDeallocatedClaimIsNotReserved(t *testing.T) {
	w := newWorld(t, append(oneDevice(), on(claimOf("c3", request("req", 1)), "a", "gpu-0"))...)
	c := w.begin(podWith("p", "c3"))
	w.Expect(c.schedule()).To(succeed())
	w.updateClaim("c3", func(c *resourceapi.ResourceClaim) { c.Status = resourceapi.ResourceClaimStatus{} })
	w.Expect(c.bind()).To(haveStatus(fwk.Error, "deallocated in the meantime"))
	w.Expect(w.claim("c3").Status.ReservedFor).To(BeEmpty())
}

func TestFailedBindingReleasesDevices(t *testing.T) {
	for _, where := range []struct{ verb, resource string }{{"update", "resourceclaims"}, {"update", "resourceclaims/status"}} {
		t.Run(where.resource, func(t *testing.T) {
			w := newWorld(t, oneDevice()...)
			stop := w.failOn(where.verb, where.resource, errors.New("server is down"))
			c := w.begin(podWith("p1", "c1"))
			w.Expect(c.schedule()).To(succeed())
			w.Expect(c.bind()).To(haveStatus(fwk.Error, "server is down"))
			c.unreserve()
			w.Expect(w.devicesInUse()).To(BeEmpty())
			stop()
			w.mustBind(podWith("p2", "c2"))
			w.Expect(w.devicesInUse()).To(ConsistOf("gpu.example.com/a/gpu-0"))
		})
	}
}

// If the response to a write is lost, it is unknown whether it was stored. A stored write
// is used.
func TestWriteWithALostResponseIsFound(t *testing.T) {
	for name, err := range map[string]error{
		"connection": errors.New("connection reset by peer"),
		"time":       apierrors.NewTimeoutError("request did not complete", 1),
		"etcd":       apierrors.NewInternalError(errors.New("etcdserver: request timed out")),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, oneDevice()...)
			w.loseAnswers(err)
			pod := podWith("p1", "c1")
			c := w.begin(pod)
			w.Expect(c.schedule()).To(succeed())
			w.Expect(c.bind()).To(succeed())
			w.Expect(w.claim("c1").Status.ReservedFor).To(ConsistOf(consumer(pod)))
			w.Expect(w.begin(podWith("p2", "c2")).schedule()).To(unschedulableBecause(cannotAllocate))
			c.unreserve()
			w.Expect(w.devicesInUse()).To(ConsistOf("gpu.example.com/a/gpu-0"))
		})
	}
}

// After a rejected write the claim is not read again.
func TestRejectedWriteIsNotReadAgain(t *testing.T) {
	w := newWorld(t, oneDevice()...)
	w.failOn("update", "resourceclaims/status", apierrors.NewForbidden(schema.GroupResource{Resource: "resourceclaims"}, "c1", errors.New("a policy")))
	gets := 0
	w.client.PrependReactor("get", "resourceclaims", func(clienttesting.Action) (bool, runtime.Object, error) {
		gets++
		return false, nil, nil
	})
	c := w.begin(podWith("p1", "c1"))
	w.Expect(c.schedule()).To(succeed())
	w.Expect(c.bind()).To(haveStatus(fwk.Error, "a policy"))
	w.Expect(gets).To(BeZero())
}

func TestSecondClaimThatFailsToBindReleasesThePodFromTheFirst(t *testing.T) {
	w := newWorld(t, node("a"), deviceClass(), gpus("a", 2), claimOf("c1", request("req", 1)), claimOf("c2", request("req", 1)))
	pod := podWith("p", "c1", "c2")
	c := w.begin(pod)
	w.Expect(c.schedule()).To(succeed())
	w.Expect(w.client.ResourceV1().ResourceClaims("default").Delete(w.ctx, "c2", metav1.DeleteOptions{})).To(Succeed())
	w.Expect(c.bind()).To(haveStatus(fwk.Error, "not found"))
	w.Expect(w.claim("c1").Status.ReservedFor).To(ConsistOf(consumer(pod)))
	c.unreserve()
	claim := w.claim("c1")
	w.Expect(claim.Status.ReservedFor).To(BeEmpty())
	w.Expect(claim.Status.Allocation).NotTo(BeNil(), "the next attempt uses it")
	w.Expect(w.devicesInUse()).To(ConsistOf("gpu.example.com/a/gpu-0"))
}

func TestClaimThatAPodNamesTwiceIsAllocatedOnce(t *testing.T) {
	w := newWorld(t, node("a"), deviceClass(), gpus("a", 2), claimOf("c", request("req", 1)))
	pod := podWith("p", "c", "c")
	pod.Spec.ResourceClaims[1].Name = "again"
	w.mustBind(pod)
	w.Expect(w.devicesInUse()).To(HaveLen(1))
	w.Expect(w.claim("c").Status.ReservedFor).To(ConsistOf(consumer(pod)))
}
