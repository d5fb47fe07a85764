// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// GetContainerStarts returns when the containers of a running pod started,
// in whole seconds by the clock of the node. Init containers are included, and those that the
// cluster has added if they have started. A container that was restarted counts with its last
// instance.
func GetContainerStarts(ctx context.Context, e *env.Env, name string) []time.Time {
	ginkgo.GinkgoHelper()
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	var starts []time.Time
	started := map[string]bool{}
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		switch {
		case c.State.Running != nil:
			starts = append(starts, c.State.Running.StartedAt.Time)
		case c.State.Terminated != nil:
			starts = append(starts, c.State.Terminated.StartedAt.Time)
		default:
			continue
		}
		started[c.Name] = true
	}
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		gomega.Expect(started[c.Name] || !isOwn(pod, c.Name)).To(gomega.BeTrue(), "container %s of pod %s should have started", c.Name, name)
	}
	return starts
}

// WaitForContainersEnded waits until all containers of a deleted pod that still
// exists have ended. It returns when the last of them did, in whole seconds by
// the clock of the node.
func WaitForContainersEnded(ctx context.Context, e *env.Env, name string) (last time.Time) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the containers of pod %s have ended", name))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("get pod %s, which should not be removed yet: %w", name, err)
		}
		last, err = lastEnd(pod)
		return err
	}).WithTimeout(gracePeriod+e.Timeouts.Deletion).Should(gomega.Succeed(), "the containers of a deleted pod should end")
	return last
}

// lastEnd returns when the last container of a pod ended, or an error if one of
// them has not. The pod stays as long as any of them runs.
func lastEnd(pod *corev1.Pod) (last time.Time, err error) {
	for _, c := range pod.Status.ContainerStatuses {
		if c.State.Terminated == nil {
			return last, fmt.Errorf("container %s of pod %s has not ended: %+v", c.Name, pod.Name, c.State)
		}
		if at := c.State.Terminated.FinishedAt.Time; at.After(last) {
			last = at
		}
	}
	return last, nil
}
