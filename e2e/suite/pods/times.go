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
// including its init containers, and those that the cluster has added as far as they have, in whole seconds by the clock of the node. A
// container that was restarted counts with its last instance.
func GetContainerStarts(ctx context.Context, e *env.Env, name string) []time.Time {
	ginkgo.GinkgoHelper()
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	var starts []time.Time
	var missing []string
	for _, c := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		switch {
		case c.State.Running != nil:
			starts = append(starts, c.State.Running.StartedAt.Time)
		case c.State.Terminated != nil:
			starts = append(starts, c.State.Terminated.StartedAt.Time)
		case isOwn(pod, c.Name):
			missing = append(missing, c.Name)
		}
	}
	gomega.Expect(missing).To(gomega.BeEmpty(), "each container of pod %s should have started", name)
	gomega.Expect(len(starts)).To(gomega.BeNumerically(">", 0), "the status of pod %s should have its containers", name)
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
