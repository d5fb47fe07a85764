// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// WaitForDeleted waits until deleted pods are removed from the API.
func WaitForDeleted(ctx context.Context, e *env.Env, podNames ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pods %v are removed", podNames))
	waitForRemoval(ctx, e, podNames...)
}

func waitForRemoval(ctx context.Context, e *env.Env, podNames ...string) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) error {
		return CheckDeleted(ctx, e, podNames)
	}).WithTimeout(e.Timeouts.Deletion).Should(gomega.Succeed(), "deleted pods should be removed")
}

// DeleteWithoutWaiting deletes a pod and does not wait until it is removed.
func DeleteWithoutWaiting(ctx context.Context, e *env.Env, pod string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("deleting pod " + pod)
	deletePod(ctx, e, pod, DeleteOptions(e))
}

// DeleteByForce deletes a pod with a grace period of zero: the API server
// removes the pod immediately, without waiting for the kubelet. A pod that is evicted may
// have been removed already.
func DeleteByForce(ctx context.Context, e *env.Env, pod string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("force-deleting pod " + pod)
	err := e.Client.CoreV1().Pods(e.Namespace).Delete(ctx, pod, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)})
	if !apierrors.IsNotFound(err) {
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
	}
	e.Deleted("Pod", pod)
}

// DeleteGracefully deletes a pod with its grace period, wherever it runs. A pod on a simulated
// node exists until it is deleted by force, because no kubelet ends it.
func DeleteGracefully(ctx context.Context, e *env.Env, pod string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("deleting pod %s with its grace period", pod))
	deletePod(ctx, e, pod, metav1.DeleteOptions{})
}

func deletePod(ctx context.Context, e *env.Env, pod string, options metav1.DeleteOptions) {
	ginkgo.GinkgoHelper()
	gomega.Expect(e.Client.CoreV1().Pods(e.Namespace).Delete(ctx, pod, options)).To(gomega.Succeed())
	e.Deleted("Pod", pod)
}

// ExpectDeletionBlocked asserts that a deleted pod stays for a while after its
// containers have ended, and that its claim stays allocated and reserved.
func ExpectDeletionBlocked(ctx context.Context, e *env.Env, pod, claim, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("checking that claim %s stays allocated", claim))
	// The kubelet can finish the deletion only after the grace period.
	env.ExpectStableFor(ctx, e, gracePeriod+e.Timeouts.Stable, func(ctx context.Context) (violation, checkErr error) {
		_, podErr := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
		got, claimErr := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
		switch err := errors.Join(podErr, claimErr); {
		case apierrors.IsNotFound(podErr) || apierrors.IsNotFound(claimErr):
			return err, nil
		case err != nil:
			return nil, err
		case got.Status.Allocation == nil || len(got.Status.ReservedFor) == 0:
			return fmt.Errorf("claim %s has been deallocated or is not reserved: allocation %v, reserved for %v", claim, got.Status.Allocation, got.Status.ReservedFor), nil
		}
		return nil, nil
	}, "pod %s and the allocation of claim %s should stay, because %s", pod, claim, because)
}

// DeleteWithClaim deletes a claim and the pods that use it, and waits until all
// are removed. Without pods it deletes the pod with the name of the claim.
func DeleteWithClaim(ctx context.Context, e *env.Env, claim string, podNames ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("deleting pod and claim %s", claim))
	if len(podNames) == 0 {
		podNames = []string{claim}
	}
	deleteAll(ctx, e, podNames)
	claims.DeleteWithoutWaiting(ctx, e, claim)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		return errors.Join(CheckDeleted(ctx, e, podNames), claims.CheckDeleted(ctx, e, claim))
	}).WithTimeout(e.Timeouts.Deletion).Should(gomega.Succeed(), "a deleted pod and its claim should be removed")
}

// Delete deletes pods without their claims, and waits until the pods are
// removed.
func Delete(ctx context.Context, e *env.Env, podNames ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("deleting pods %v", podNames))
	deleteAll(ctx, e, podNames)
	waitForRemoval(ctx, e, podNames...)
}

func deleteAll(ctx context.Context, e *env.Env, podNames []string) {
	ginkgo.GinkgoHelper()
	for _, pod := range podNames {
		deletePod(ctx, e, pod, DeleteOptions(e))
	}
}

// startingGracePeriod is the grace period of pods whose containers may be starting, in
// seconds. A process with PID 1 that has no signal handler yet does not notice that it
// should terminate, so that the kubelet waits for the whole period.
const startingGracePeriod = 1

// DeleteStarting is [Delete] for a pod whose containers may be starting.
func DeleteStarting(ctx context.Context, e *env.Env, pod string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("deleting pod %s, which may be starting", pod))
	deletePod(ctx, e, pod, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](startingGracePeriod)})
	waitForRemoval(ctx, e, pod)
}

// DeleteOptions returns the options for the deletion of pods. On simulated
// nodes the grace period is zero, because no kubelet reports that the pod has
// terminated.
func DeleteOptions(e *env.Env) metav1.DeleteOptions {
	if e.PlacePod != nil {
		return metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}
	}
	return metav1.DeleteOptions{}
}

// CheckDeleted returns an error about the first of the pods that still exists.
func CheckDeleted(ctx context.Context, e *env.Env, podNames []string) error {
	if len(podNames) == 0 {
		return nil
	}
	items := func(list *corev1.PodList) []corev1.Pod { return list.Items }
	existing, err := env.GetExisting(ctx, e.Client.CoreV1().Pods(e.Namespace), podNames, items)
	if err != nil {
		return fmt.Errorf("get pods %s of namespace %s: %w", strings.Join(podNames, ", "), e.Namespace, err)
	}
	for _, name := range podNames {
		if pod, ok := existing[name]; ok {
			return notRunning(ctx, e, pod, "pod %s still exists", name)
		}
	}
	return nil
}
