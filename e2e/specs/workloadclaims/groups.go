// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package workloadclaims

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	schedulingapi "k8s.io/api/scheduling/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// Names of the objects of a spec: the PodGroup, its claim, and the template of the
// claim.
const (
	group    = "group"
	shared   = "shared"
	template = "cards"
)

// createGroup creates a template of a claim for any device, and a PodGroup with a
// claim from the template.
func createGroup(ctx context.Context, e *env.Env, sim *simulated.Nodes) *schedulingapi.PodGroup {
	ginkgo.GinkgoHelper()
	claims.CreateTemplate(ctx, e, template, devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: sim.Device("")}}))
	return createGroupWith(ctx, e, group, ofGroup)
}

// createGroupWith creates a PodGroup with claims for these entries of its pods. The pods of
// the group are scheduled one by one. The PodGroup is deleted at the end of the spec.
func createGroupWith(ctx context.Context, e *env.Env, name string, entries ...corev1.PodResourceClaim) *schedulingapi.PodGroup {
	ginkgo.GinkgoHelper()
	return createGroupOf(ctx, e, name, schedulingapi.PodGroupSchedulingPolicy{Basic: &schedulingapi.BasicSchedulingPolicy{}}, entries...)
}

// createGang creates a PodGroup without claims, of whose pods so many are scheduled at the
// same time or none. It is deleted at the end of the spec.
func createGang(ctx context.Context, e *env.Env, count int32) {
	ginkgo.GinkgoHelper()
	createGroupOf(ctx, e, group, schedulingapi.PodGroupSchedulingPolicy{Gang: &schedulingapi.GangSchedulingPolicy{MinCount: count}})
}

func createGroupOf(ctx context.Context, e *env.Env, name string, policy schedulingapi.PodGroupSchedulingPolicy, entries ...corev1.PodResourceClaim) *schedulingapi.PodGroup {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating pod group " + name)
	spec := schedulingapi.PodGroupSpec{SchedulingPolicy: policy}
	for _, entry := range entries {
		spec.ResourceClaims = append(spec.ResourceClaims, schedulingapi.PodGroupResourceClaim(entry))
	}
	created, err := e.Client.SchedulingV1beta1().PodGroups(e.Namespace).Create(ctx, &schedulingapi.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: e.Namespace, Labels: e.Labels}, Spec: spec,
	}, metav1.CreateOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { removeGroup(ctx, e, name) }, //nolint:contextcheck // The spec's context has ended by then.
		ginkgo.NodeTimeout(2*e.Timeouts.Deletion))
	return created
}

// removeGroup deletes a PodGroup, unless it is deleted already: its claims cannot be removed
// before. The pods of the spec are deleted first. Otherwise, the auditor could see that the
// claim is deallocated while pods on nodes use it. Of a failed spec, the pods are still to be
// dumped.
func removeGroup(ctx context.Context, e *env.Env, name string) {
	ginkgo.GinkgoHelper()
	if !ginkgo.CurrentSpecReport().Failed() {
		deletePods(ctx, e)
	}
	err := e.Client.SchedulingV1beta1().PodGroups(e.Namespace).Delete(ctx, name, metav1.DeleteOptions{})
	if !apierrors.IsNotFound(err) {
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
	}
}

// deletePods deletes all pods of the spec that are left.
func deletePods(ctx context.Context, e *env.Env) {
	ginkgo.GinkgoHelper()
	left, err := e.Client.CoreV1().Pods(e.Namespace).List(ctx, e.Selector())
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	var names []string
	for i := range left.Items {
		names = append(names, left.Items[i].Name)
	}
	pods.Delete(ctx, e, names...)
}

// deleteGroup deletes the PodGroup before the end of the spec.
func deleteGroup(ctx context.Context, e *env.Env) {
	ginkgo.GinkgoHelper()
	ginkgo.By("deleting the pod group")
	gomega.Expect(e.Client.SchedulingV1beta1().PodGroups(e.Namespace).Delete(ctx, group, metav1.DeleteOptions{})).To(gomega.Succeed())
}

// createMember creates a pod of the group with an entry for a claim.
func createMember(ctx context.Context, e *env.Env, name string, entry corev1.PodResourceClaim) {
	ginkgo.GinkgoHelper()
	createMemberOf(ctx, e, group, name, "", entry)
}

// createMemberOf creates a pod of a group with entries for claims, which may only run on the
// given node. An empty node allows all nodes.
func createMemberOf(ctx context.Context, e *env.Env, group, name, node string, entries ...corev1.PodResourceClaim) {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating pod " + name + " of the group " + group)
	_, err := pods.Create(ctx, e, name, pods.Options{Node: node, Change: func(pod *corev1.PodSpec) {
		pod.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: ptr.To(group)}
		pod.ResourceClaims = entries
		for _, entry := range entries {
			resources := &pod.Containers[0].Resources
			resources.Claims = append(resources.Claims, corev1.ResourceClaim{Name: entry.Name})
		}
	}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// createMemberWithoutClaim creates a pod of the group that uses no claim.
func createMemberWithoutClaim(ctx context.Context, e *env.Env, name string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("creating pod " + name + " of the group without a claim")
	_, err := pods.Create(ctx, e, name, pods.Options{Change: func(pod *corev1.PodSpec) {
		pod.SchedulingGroup = &corev1.PodSchedulingGroup{PodGroupName: ptr.To(group)}
	}})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// ofGroup is the entry of a pod for the claim of the group.
var ofGroup = corev1.PodResourceClaim{Name: shared, ResourceClaimTemplateName: ptr.To(template)}

// waitForGroupClaim waits until the status of the PodGroup names its claim, and
// returns the claim.
func waitForGroupClaim(ctx context.Context, e *env.Env) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until the pod group has its claim")
	var claim *resourceapi.ResourceClaim
	gomega.Eventually(ctx, func(ctx context.Context) error {
		got, err := e.Client.SchedulingV1beta1().PodGroups(e.Namespace).Get(ctx, group, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, status := range got.Status.ResourceClaimStatuses {
			if status.Name == shared && status.ResourceClaimName != nil {
				claim, err = e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, *status.ResourceClaimName, metav1.GetOptions{})
				return err
			}
		}
		return fmt.Errorf("the claims in its status are %v", got.Status.ResourceClaimStatuses)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "the status of the pod group should name the claim for its entry %s", shared)
	return claim
}

// expectConsumers asserts for which objects a claim is reserved.
func expectConsumers(ctx context.Context, e *env.Env, claim, because string, want ...string) {
	ginkgo.GinkgoHelper()
	got := claims.Get(ctx, e, claim)
	var consumers []string
	for _, c := range got.Status.ReservedFor {
		consumers = append(consumers, c.Resource+"/"+c.Name)
	}
	gomega.Expect(consumers).To(gomega.ConsistOf(want), "claim %s should be reserved for these, because %s", claim, because)
}

// claimOf returns the name of the only claim of a pod.
func claimOf(ctx context.Context, e *env.Env, name string) string {
	ginkgo.GinkgoHelper()
	return claimsOf(ctx, e, name, 1)[0]
}

// claimsOf returns the names of the claims of a pod, which should have so many.
func claimsOf(ctx context.Context, e *env.Env, name string, want int) []string {
	ginkgo.GinkgoHelper()
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	names := pods.ClaimNames(pod)
	gomega.Expect(names).To(gomega.HaveLen(want), "pod %s should have %d claims", name, want)
	return names
}
