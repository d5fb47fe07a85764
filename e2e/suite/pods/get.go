// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// GetGeneratedClaim returns the name of the claim that was generated for a pod.
func GetGeneratedClaim(ctx context.Context, e *env.Env, pod string) string {
	ginkgo.GinkgoHelper()
	got, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	names := ClaimNames(got)
	gomega.Expect(names).To(gomega.HaveLen(1), "pod %s should have one generated claim", pod)
	return names[0]
}

// WaitForGeneratedClaim waits until the status of a pod has the name of its generated claim,
// and returns the name.
func WaitForGeneratedClaim(ctx context.Context, e *env.Env, pod string) (name string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until the claim of pod " + pod + " is generated")
	gomega.Eventually(ctx, func(ctx context.Context) ([]string, error) {
		got, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		names := ClaimNames(got)
		if len(names) > 0 {
			name = names[0]
		}
		return names, nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.HaveLen(1), "a claim should be generated for pod %s", pod)
	return name
}

// podsAndClaims has the pods and claims of a spec by name.
type podsAndClaims struct {
	pods   map[string]*corev1.Pod
	claims map[string]*resourceapi.ResourceClaim
}

// listPodsAndClaims lists the pods and claims of a spec. It uses two list
// requests, because getting many pods one by one takes long.
func listPodsAndClaims(ctx context.Context, e *env.Env) (podsAndClaims, error) {
	listed := podsAndClaims{map[string]*corev1.Pod{}, map[string]*resourceapi.ResourceClaim{}}
	// Claims are listed last, so that the list contains the allocations of all
	// scheduled pods.
	pods, err := e.Client.CoreV1().Pods(e.Namespace).List(ctx, e.Selector())
	if err != nil {
		return listed, fmt.Errorf("list the pods of namespace %s: %w", e.Namespace, err)
	}
	claims, err := ListClaims(ctx, e, pods.Items)
	if err != nil {
		return listed, err
	}
	for i := range claims {
		listed.claims[claims[i].Name] = &claims[i]
	}
	for i := range pods.Items {
		listed.pods[pods.Items[i].Name] = &pods.Items[i]
	}
	return listed, nil
}

// IsScheduled reports whether a pod is bound to a node. It returns an error as
// long as it is not, and the scheduler reports nothing about it either.
func IsScheduled(ctx context.Context, e *env.Env, name string) (bool, error) {
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	switch {
	case err != nil:
		return false, fmt.Errorf("get pod %s: %w", name, err)
	case pod.Spec.NodeName != "":
		return true, nil
	case isReported(Condition(pod, corev1.PodScheduled)):
		return false, nil
	}
	return false, fmt.Errorf("the scheduler reports nothing about pod %s", name)
}

// GetNode returns the node of a pod.
func GetNode(ctx context.Context, e *env.Env, pod string) string {
	ginkgo.GinkgoHelper()
	got, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return got.Spec.NodeName
}

// ListClaims returns the claims of the spec. A claim that the scheduler created
// for extended resources does not have the labels of the spec. It belongs to the
// spec if one of its pods owns it.
func ListClaims(ctx context.Context, e *env.Env, podList []corev1.Pod) ([]resourceapi.ResourceClaim, error) {
	all, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list the claims of namespace %s: %w", e.Namespace, err)
	}
	return slices.DeleteFunc(all.Items, func(claim resourceapi.ResourceClaim) bool {
		owner := metav1.GetControllerOfNoCopy(&claim)
		owned := owner != nil && slices.ContainsFunc(podList, func(pod corev1.Pod) bool { return pod.UID == owner.UID })
		return !owned && !e.Owns(&claim)
	}), nil
}

// ClaimNames returns the names of a pod's claims: those that the pod names, those
// that were generated from a template, and that for its extended resources.
func ClaimNames(pod *corev1.Pod) []string {
	var names []string
	for _, c := range pod.Spec.ResourceClaims {
		if c.ResourceClaimName != nil {
			names = append(names, *c.ResourceClaimName)
		}
	}
	for _, c := range pod.Status.ResourceClaimStatuses {
		if c.ResourceClaimName != nil {
			names = append(names, *c.ResourceClaimName)
		}
	}
	if extended := pod.Status.ExtendedResourceClaimStatus; extended != nil {
		names = append(names, extended.ResourceClaimName)
	}
	return names
}

// Condition returns the condition of a pod with the given type, or nil.
func Condition(pod *corev1.Pod, kind corev1.PodConditionType) *corev1.PodCondition {
	i := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == kind })
	if i < 0 {
		return nil
	}
	return &pod.Status.Conditions[i]
}
