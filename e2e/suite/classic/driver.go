// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// AllocationOn returns an allocation by a driver that is available on some nodes.
func AllocationOn(driver string, nodes ...string) Allocation {
	return Allocation{Controller: driver, NodeSelector: selectorOf(nodes)}
}

// Allocate does what a driver does to allocate a claim: it adds its finalizer, and
// writes the allocation, and the reservation for pods if there are any.
func (c *Cluster) Allocate(ctx context.Context, claim string, allocation Allocation, reservedFor ...*corev1.Pod) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("allocating claim %s", claim))
	gomega.Expect(c.patch(ctx, claims, []string{claim}, object{"metadata": object{"finalizers": []string{finalizer(allocation.Controller)}}})).To(gomega.Succeed())
	status := object{"allocation": allocation}
	if len(reservedFor) > 0 {
		status["reservedFor"] = Consumers(reservedFor...)
	}
	gomega.Expect(c.TryStatus(ctx, claim, status)).To(gomega.Succeed())
}

// AllocationFor returns an allocation by a driver that is available on the nodes that one of
// the terms selects.
func AllocationFor(driver string, terms ...corev1.NodeSelectorTerm) Allocation {
	return Allocation{Controller: driver, NodeSelector: &corev1.NodeSelector{NodeSelectorTerms: terms}}
}

// Consumers returns the entries of reservedFor for pods.
func Consumers(of ...*corev1.Pod) []Consumer {
	var all []Consumer
	for _, pod := range of {
		all = append(all, Consumer{Resource: "pods", Name: pod.Name, UID: string(pod.UID)})
	}
	return all
}

// Reserve reserves a claim for exactly these pods, or for none, in place of a scheduler.
// kube-controller-manager leaves reservations alone while their pods exist.
func (c *Cluster) Reserve(ctx context.Context, claim string, users ...*corev1.Pod) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("reserving claim %s for %d pods", claim, len(users)))
	gomega.Expect(c.TryReserve(ctx, claim, users...)).To(gomega.Succeed())
}

// TryReserve is [Cluster.Reserve] with the error of the API server.
func (c *Cluster) TryReserve(ctx context.Context, claim string, users ...*corev1.Pod) error {
	return c.TryStatus(ctx, claim, object{"reservedFor": Consumers(users...)})
}

// TryStatus changes the status of a claim and returns the error of the API server.
func (c *Cluster) TryStatus(ctx context.Context, claim string, status map[string]any) error {
	return c.patch(ctx, claims, []string{claim, "status"}, object{"status": status})
}

// Deallocate does what a driver does that was asked to deallocate a claim.
func (c *Cluster) Deallocate(ctx context.Context, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("deallocating claim %s", claim))
	gomega.Expect(c.TryStatus(ctx, claim, object{"allocation": nil, "deallocationRequested": nil})).To(gomega.Succeed())
	gomega.Expect(c.patch(ctx, claims, []string{claim}, object{"metadata": object{"finalizers": nil}})).To(gomega.Succeed())
}

// Answer does what drivers do that were asked about nodes: it writes which nodes are
// unsuitable for the claims of a pod. It replaces earlier answers.
func (c *Cluster) Answer(ctx context.Context, pod string, answers ...Answer) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("answering the scheduler about pod %s: %v", pod, answers))
	gomega.Expect(c.TryAnswer(ctx, pod, answers...)).To(gomega.Succeed())
}

// TryAnswer is [Cluster.Answer] with the error of the API server.
func (c *Cluster) TryAnswer(ctx context.Context, pod string, answers ...Answer) error {
	return c.patch(ctx, contexts, []string{pod, "status"}, object{"status": object{"resourceClaims": answers}})
}

// TryCreateContext creates a PodSchedulingContext and returns the error of the API
// server.
func (c *Cluster) TryCreateContext(ctx context.Context, name string, spec map[string]any) error {
	return c.create(ctx, contexts, "PodSchedulingContext", object{"name": name}, spec)
}

// TryChangeContext changes a PodSchedulingContext, or its subresource, and returns the error
// of the API server.
func (c *Cluster) TryChangeContext(ctx context.Context, name string, change map[string]any, subresource ...string) error {
	return c.patch(ctx, contexts, append([]string{name}, subresource...), change)
}

// TryChangeController changes the driver that allocates a claim and returns the error of the
// API server.
func (c *Cluster) TryChangeController(ctx context.Context, claim, driver string) error {
	return c.patch(ctx, claims, []string{claim}, object{"spec": object{"controller": driver}})
}

// Keep adds a finalizer of nobody to a claim, next to those that it has.
func (c *Cluster) Keep(ctx context.Context, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("adding a finalizer to claim " + claim)
	found, err := c.GetClaim(ctx, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	c.setFinalizers(ctx, claim, append(found.Metadata.Finalizers, keepFinalizer))
}

// Pending is the condition of a claim that is not allocated.
func Pending(claim Claim) error {
	if claim.Status.Allocation != nil {
		return fmt.Errorf("the claim is allocated: %+v", claim.Status.Allocation)
	}
	return nil
}

// OnlyKept is the condition of a claim that has no other finalizer than that of
// [Cluster.Keep].
func OnlyKept(claim Claim) error {
	if finalizers := claim.Metadata.Finalizers; !slices.Equal(finalizers, []string{keepFinalizer}) {
		return fmt.Errorf("the finalizers of the claim are %v, and should be that of the spec", finalizers)
	}
	return nil
}

// LetGo removes all finalizers of a claim.
func (c *Cluster) LetGo(ctx context.Context, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("removing the finalizers of claim " + claim)
	c.setFinalizers(ctx, claim, nil)
}

func (c *Cluster) setFinalizers(ctx context.Context, claim string, finalizers []string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(c.patch(ctx, claims, []string{claim}, object{"metadata": object{"finalizers": finalizers}})).To(gomega.Succeed())
}

// DeleteClaim deletes a claim. It exists until its finalizers are removed.
func (c *Cluster) DeleteClaim(ctx context.Context, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("deleting claim " + claim)
	c.env.Deleted("ResourceClaim", claim)
	gomega.Expect(c.delete(ctx, claims, claim)).To(gomega.Succeed())
}

// DeleteUnusedClaims deletes claims that no pod uses, and waits until their drivers have
// deallocated them and they are removed.
func (c *Cluster) DeleteUnusedClaims(ctx context.Context, names ...string) {
	ginkgo.GinkgoHelper()
	for _, name := range names {
		c.DeleteClaim(ctx, name)
		c.WaitForClaimRemoved(ctx, name, "no pod uses the claim any more")
	}
}

// DeleteClaimByForce removes the finalizers of a claim and deletes it, as administrators
// do if a driver does not answer.
func (c *Cluster) DeleteClaimByForce(ctx context.Context, name string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("deleting claim " + name + " by force")
	c.env.Deleted("ResourceClaim", name)
	gomega.Expect(c.delete(ctx, claims, name)).To(gomega.Succeed())
	err := c.patch(ctx, claims, []string{name}, object{"metadata": object{"finalizers": nil}})
	if !apierrors.IsNotFound(err) {
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
	}
}

// Annotate updates a claim without changing its spec.
func (c *Cluster) Annotate(ctx context.Context, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("annotating claim " + claim)
	gomega.Expect(c.patch(ctx, claims, []string{claim}, annotation)).To(gomega.Succeed())
}

// AnnotateClass updates a DeviceClass without changing its spec.
func (c *Cluster) AnnotateClass(ctx context.Context, class string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("annotating device class " + class)
	gomega.Expect(c.patch(ctx, classes, []string{class}, annotation)).To(gomega.Succeed())
}

var annotation = object{"metadata": object{"annotations": object{"draconform.dev/updated": "true"}}}
