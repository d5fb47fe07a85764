// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// WaitForScheduled waits until pods are bound to nodes, one after the other. At
// the end it asserts for all of them what [WaitForRunning] does, except for the
// containers. It is for pods on simulated nodes.
func WaitForScheduled(ctx context.Context, e *env.Env, names ...string) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	var pods []*corev1.Pod
	for _, name := range names {
		pods = append(pods, waitForBound(ctx, e, name))
	}
	return expectAllocationsFulfilled(ctx, e, pods...)
}

// waitForBound waits until a pod is bound to a node.
func waitForBound(ctx context.Context, e *env.Env, name string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pod %s is scheduled", name))
	var pod *corev1.Pod
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		pod, err = e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if pod.Spec.NodeName != "" {
			return nil
		}
		return notRunning(ctx, e, pod, "pod %s is not scheduled", name)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "the pod should be scheduled, because its claims fit")
	return pod
}

// WaitForScheduledCount waits until the given number of the spec's pods are
// bound to nodes. It returns the names of these pods and of the others.
func WaitForScheduledCount(ctx context.Context, e *env.Env, want int) (scheduled, pending []string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until %d pods are scheduled", want))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		listed, err := listPodsAndClaims(ctx, e)
		if err != nil {
			return err
		}
		scheduled, pending = nil, nil
		var lastPending *corev1.Pod
		for _, name := range slices.Sorted(maps.Keys(listed.pods)) {
			if pod := listed.pods[name]; pod.Spec.NodeName != "" {
				scheduled = append(scheduled, name)
			} else {
				pending, lastPending = append(pending, name), pod
			}
		}
		switch {
		case len(scheduled) > want:
			return gomega.StopTrying(fmt.Sprintf("%d pods are scheduled%s", len(scheduled), devices.DescribeOverallocation(ctx, e)))
		case len(scheduled) < want && lastPending != nil:
			return notRunning(ctx, e, lastPending, "%d pods are scheduled; %s is pending", len(scheduled), lastPending.Name)
		case len(scheduled) < want:
			return fmt.Errorf("%d pods are scheduled, and no others exist", len(scheduled))
		}
		return nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "%d pods should be scheduled, because that many fit", want)
	return scheduled, pending
}

// expectAllocationsFulfilled asserts that the claims of bound pods were
// allocated what they request, that the pods' nodes have these devices, and
// that the allocations in the cluster are valid. It returns the devices.
func expectAllocationsFulfilled(ctx context.Context, e *env.Env, pods ...*corev1.Pod) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	var all []audit.DeviceID
	// Many pods can share a claim and a node.
	claims, nodes := map[string]*resourceapi.ResourceClaim{}, map[string]*corev1.Node{}
	for _, pod := range pods {
		for _, name := range ClaimNames(pod) {
			claim := getOnce(ctx, claims, name, e.Client.ResourceV1().ResourceClaims(e.Namespace).Get)
			all = append(all, audit.Allocated(claim)...)
		}
	}
	inventory := devices.WaitForOffered(ctx, e, slices.Collect(maps.Values(claims))...)
	for _, name := range slices.Sorted(maps.Keys(claims)) {
		gomega.Expect(inventory.Unfulfilled(ctx, claims[name])).To(gomega.BeEmpty(), "the allocation of claim %s should satisfy its requests and constraints", name)
	}
	for _, pod := range pods {
		node := getOnce(ctx, nodes, pod.Spec.NodeName, e.Client.CoreV1().Nodes().Get)
		for _, name := range ClaimNames(pod) {
			gomega.Expect(inventory.NotOn(node, audit.Allocated(claims[name]))).To(gomega.BeEmpty(), "pod %s should run on a node that has its devices", pod.Name)
		}
	}
	devices.ExpectNoOverallocationOf(ctx, e, inventory)
	return all
}

// getOnce returns an object, which is read only if it was not read before.
func getOnce[T any](ctx context.Context, known map[string]*T, name string, get func(context.Context, string, metav1.GetOptions) (*T, error)) *T {
	ginkgo.GinkgoHelper()
	if known[name] == nil {
		object, err := get(ctx, name, metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		known[name] = object
	}
	return known[name]
}
