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
	syncTrigger := NewSyncTrigger(e)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if pod.Status.Phase == corev1.PodSucceeded {
			node = pod.Spec.NodeName
			return nil
		}
		syncTrigger.Trigger(ctx, pod)
		err = notRunning(ctx, e, pod, "pod %s is %s", name, pod.Status.Phase)
		if pod.Status.Phase == corev1.PodFailed {
			return gomega.StopTrying(err.Error())
		}
		return err
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "the pod should run and complete, because its claim fits")
	return node
}
