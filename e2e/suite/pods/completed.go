// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// WaitForCompleted waits until a pod whose containers complete and are not
// restarted has succeeded. It returns the node of the pod.
func WaitForCompleted(ctx context.Context, e *env.Env, name string) (node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pod %s has completed", name))
	return waitForEnd(ctx, e, name, corev1.PodSucceeded, "the pod should run and complete, because its claim fits")
}

// WaitForFailed waits until a pod with a container of [FailingContainer], which is not
// restarted, has failed. It returns the node of the pod.
func WaitForFailed(ctx context.Context, e *env.Env, name string) (node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pod %s has failed", name))
	return waitForEnd(ctx, e, name, corev1.PodFailed, "the pod should run and fail, because its claim fits")
}

// waitForEnd waits until a pod has a final phase. The spec is not applicable if the containers
// of the pod have ended accordingly, and one that the cluster has added to it goes on.
func waitForEnd(ctx context.Context, e *env.Env, name string, want corev1.PodPhase, why string) (node string) {
	ginkgo.GinkgoHelper()
	kept := keeper{want: want}
	syncTrigger := NewSyncTrigger(e)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if kept.look(pod); pod.Status.Phase == want || kept.isCertain(e) {
			node = pod.Spec.NodeName
			return nil
		}
		syncTrigger.Trigger(ctx, pod)
		err = notRunning(ctx, e, pod, "pod %s is %s", name, pod.Status.Phase)
		if pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded {
			return gomega.StopTrying(err.Error())
		}
		return err
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "%s", why)
	if kept.isCertain(e) {
		e.NotApplicable(fmt.Sprintf("needs pods that end with their containers: the cluster has added container %s to pod %s, which goes on", kept.container, name))
	}
	return node
}
