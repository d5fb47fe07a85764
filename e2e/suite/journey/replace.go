// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journey

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// replaceAll deletes all pods of the spec and replaces the checked ones.
func (r *Run) replaceAll(ctx context.Context) {
	ginkgo.GinkgoHelper()
	now, err := r.getObjects(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	var checked []string
	for _, k := range r.checked.pods {
		checked = append(checked, k.name)
	}
	// Pending pods would get the devices of the deleted ones.
	var rest []corev1.Pod
	for name, pod := range now.pods {
		if !slices.Contains(checked, name) && pod.DeletionTimestamp == nil {
			rest = append(rest, pod)
		}
	}
	r.deletePods(ctx, rest)
	r.ReplacePods(ctx, checked...)
}

// ReplacePods deletes checked pods. Their claims must then be deallocated, and generated
// ones be removed, and drivers must unprepare them. Other pods, whose names end with
// -again, use the same claims and templates, and must get devices. They are checked
// instead.
func (r *Run) ReplacePods(ctx context.Context, names ...string) {
	ginkgo.GinkgoHelper()
	now, err := r.getObjects(ctx)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	var old []corev1.Pod
	for _, name := range names {
		old = append(old, now.pods[name])
	}
	slices.SortFunc(old, func(a, b corev1.Pod) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	r.StopChecking(names...)
	r.deletePods(ctx, old)
	r.expectFreed(ctx, now, old)
	for i := range old {
		for _, claim := range pods.ClaimNames(&old[i]) {
			r.checked.forget("ResourceClaim", claim) // It may be allocated the same devices again.
		}
	}
	if !r.isClassic() { // Drivers of classic DRA deallocate claims themselves.
		r.expectUnprepared(ctx, now, old)
		r.createAgain(ctx, old)
	}
}

// deletePods deletes pods and waits until they are removed.
func (r *Run) deletePods(ctx context.Context, all []corev1.Pod) {
	ginkgo.GinkgoHelper()
	var running, others []string
	for _, pod := range all {
		if isRunning(pod) {
			running = append(running, pod.Name)
		} else {
			others = append(others, pod.Name)
		}
	}
	if len(others) > 0 {
		pods.Delete(ctx, r.Env, others...)
	}
	if len(running) > 0 {
		r.OnNodes(func() { pods.Delete(ctx, r.Env, running...) })
	}
}

// isRunning reports whether a pod has a kubelet. Pods on simulated nodes stay pending.
func isRunning(pod corev1.Pod) bool { return pod.Status.Phase == corev1.PodRunning }

// OnNodes calls something that creates or deletes pods on the nodes of the cluster, although
// the spec has simulated nodes.
func (r *Run) OnNodes(do func()) {
	place := r.PlacePod
	defer func() { r.PlacePod = place }()
	r.PlacePod = nil
	do()
}

// expectFreed waits until the claims of deleted pods are free.
func (r *Run) expectFreed(ctx context.Context, before objects, deleted []corev1.Pod) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the claims of the deleted pods %v are free", namesOf(deleted)))
	gomega.Eventually(ctx, func(ctx context.Context) ([]string, error) {
		now, err := r.getObjects(ctx)
		return notFreed(before, now, deleted, r.isClassic()), err
	}).WithTimeout(r.Timeouts.Deletion+r.Timeouts.PodStart).Should(gomega.BeEmpty(), "claims should be deallocated, or removed if they were generated, because their pods are deleted")
}

// notFreed returns which claims of deleted pods are not free. A claim that other pods use,
// too, stays allocated. Drivers of classic DRA may keep claims allocated.
func notFreed(before, now objects, deleted []corev1.Pod, isClassic bool) []string {
	var all []string
	for i := range deleted {
		pod := &deleted[i]
		for _, name := range pods.ClaimNames(pod) {
			claim, ok := now.claims[name]
			exists := ok && claim.UID == before.claims[name].UID
			removed := isOwnedBy(before.claims[name], pod.UID) || before.claims[name].DeletionTimestamp != nil
			inUse := slices.ContainsFunc(claim.Status.ReservedFor, func(user resourceapi.ResourceClaimConsumerReference) bool { return isDeleted(user, deleted) })
			shared := len(claim.Status.ReservedFor) > 0 && !inUse
			state := fmt.Sprintf("finalizers %v, reserved for %s, allocation %s", claim.Finalizers, inJSON(claim.Status.ReservedFor), inJSON(claim.Status.Allocation))
			switch {
			case removed && exists:
				all = append(all, fmt.Sprintf("claim %s of the deleted pod %s still exists: %s", name, pod.Name, state))
			case removed:
			case !exists:
				all = append(all, fmt.Sprintf("claim %s was deleted with pod %s, which does not own it", name, pod.Name))
			case inUse:
				all = append(all, fmt.Sprintf("claim %s is still reserved for the deleted pod %s: %s", name, pod.Name, state))
			case !shared && !isClassic && claim.Status.Allocation != nil:
				all = append(all, fmt.Sprintf("claim %s of the deleted pod %s is still allocated: %s", name, pod.Name, state))
			}
		}
	}
	return all
}

func isDeleted(user resourceapi.ResourceClaimConsumerReference, deleted []corev1.Pod) bool {
	return slices.ContainsFunc(deleted, func(pod corev1.Pod) bool { return pod.UID == user.UID })
}

// expectUnprepared waits until the drivers of deleted pods have unprepared their claims, as
// far as drivers tell.
func (r *Run) expectUnprepared(ctx context.Context, before objects, deleted []corev1.Pod) {
	ginkgo.GinkgoHelper()
	for i := range deleted {
		if !isRunning(deleted[i]) {
			continue
		}
		for _, name := range pods.ClaimNames(&deleted[i]) {
			for _, driver := range driversOf(before.claims[name]) {
				drivers.WaitForUnprepared(ctx, r.Env, driver, deleted[i].Spec.NodeName, name)
			}
		}
	}
}

// driversOf returns the drivers of the devices of a claim.
func driversOf(claim resourceapi.ResourceClaim) []string {
	var all []string
	if claim.Status.Allocation != nil {
		for _, result := range claim.Status.Allocation.Devices.Results {
			all = append(all, result.Driver)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// createAgain creates pods that use the claims of deleted ones.
func (r *Run) createAgain(ctx context.Context, deleted []corev1.Pod) {
	ginkgo.GinkgoHelper()
	var running, scheduled []string
	for _, old := range deleted {
		name := old.Name + "-again"
		if isRunning(old) {
			r.OnNodes(func() { r.createLike(ctx, name, old) })
			running = append(running, name)
		} else {
			r.createLike(ctx, name, old)
			scheduled = append(scheduled, name)
		}
	}
	if len(scheduled) > 0 {
		pods.WaitForScheduled(ctx, r.Env, scheduled...)
	}
	for _, name := range running {
		pods.WaitForRunning(ctx, r.Env, name)
	}
	r.CheckAfterEachStep(ctx, slices.Concat(running, scheduled)...)
}

// createLike creates a pod with the claims, templates and extended resources of another.
func (r *Run) createLike(ctx context.Context, name string, like corev1.Pod) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s like the deleted pod %s", name, like.Name))
	var named []*resourceapi.ResourceClaim
	for _, use := range like.Spec.ResourceClaims {
		if use.ResourceClaimName != nil {
			named = append(named, claims.Get(ctx, r.Env, *use.ResourceClaimName))
		}
	}
	options := pods.Options{Restarts: like.Spec.RestartPolicy == corev1.RestartPolicyAlways, Change: func(spec *corev1.PodSpec) {
		spec.ResourceClaims, spec.Containers[0].Resources = like.Spec.ResourceClaims, like.Spec.Containers[0].Resources
	}}
	_, err := pods.Create(ctx, r.Env, name, options, named...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

func namesOf(all []corev1.Pod) []string {
	var names []string
	for _, pod := range all {
		names = append(names, pod.Name)
	}
	return names
}
