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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
)

// WaitForRunning waits until a pod runs. It asserts that the allocations in the
// cluster are valid, that the pod's claims were allocated what they request,
// that the pod's node has these devices, and that the container sees exactly
// these devices. It returns the devices.
func WaitForRunning(ctx context.Context, e *env.Env, name string) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	pod := waitForRunning(ctx, e, name)
	allocated := expectAllocationsFulfilled(ctx, e, pod)
	expectMainContainerDevices(ctx, e, name, seenBy(ctx, e, pod, MainContainer, allocated))
	return allocated
}

// WaitForContainersRunning is [WaitForRunning] without what the main container
// sees, for a claim of which it may see a device once or several times.
func WaitForContainersRunning(ctx context.Context, e *env.Env, name string) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	return expectAllocationsFulfilled(ctx, e, waitForRunning(ctx, e, name))
}

// waitForRunning waits until all containers that the spec gave a pod run, and returns the pod.
func waitForRunning(ctx context.Context, e *env.Env, name string) *corev1.Pod {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pod %s runs", name))
	var pod *corev1.Pod
	syncTrigger := NewSyncTrigger(e)
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		pod, err = e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		ended := hasEnded(pod)
		if isRunning(pod) && !ended {
			return nil
		}
		syncTrigger.Trigger(ctx, pod)
		err = notRunning(ctx, e, pod, "pod %s is %s", name, pod.Status.Phase)
		if ended {
			return gomega.StopTrying(err.Error())
		}
		return err
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "the pod should run, because its claim fits")
	return pod
}

// WhyNotStarted waits until a pod that must be scheduled runs. It returns why it does not
// in time, or an empty text if it does.
func WhyNotStarted(ctx context.Context, e *env.Env, name string) string {
	ginkgo.GinkgoHelper()
	waitForBound(ctx, e, name)
	syncTrigger := NewSyncTrigger(e)
	last, err := env.GetLast(ctx, e.Timeouts.PodStart, func(ctx context.Context) (*corev1.Pod, error) {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil {
			syncTrigger.Trigger(ctx, pod)
		}
		return pod, err
	}, func(pod *corev1.Pod) bool { return isRunning(pod) || hasEnded(pod) })
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "pod %s should be readable", name)
	if isRunning(last) {
		return ""
	}
	return whyNotRunning(ctx, e, last)
}

// isRunning reports whether all containers that the spec gave a pod run. The phase is not
// sufficient: it is also Running between two restarts of a container.
func isRunning(pod *corev1.Pod) bool {
	all := ownStatuses(pod)
	return pod.Status.Phase == corev1.PodRunning && !slices.ContainsFunc(all, func(c corev1.ContainerStatus) bool { return c.State.Running == nil })
}

// hasEnded reports whether a container that the spec gave a pod has run and ended. The workload
// only exits when it is instructed to.
func hasEnded(pod *corev1.Pod) bool {
	switch {
	case pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded:
		return true // These phases are final.
	case pod.Spec.RestartPolicy == corev1.RestartPolicyAlways:
		return false // The spec expects restarts.
	}
	return slices.ContainsFunc(ownStatuses(pod), func(c corev1.ContainerStatus) bool {
		return hasRun(c.State.Terminated) || hasRun(c.LastTerminationState.Terminated)
	})
}

// hasRun reports whether a terminated container had started. It is false if the
// container runtime failed to start the container, which may be due to a busy
// host. The next attempt can then succeed. If the failure is due to the CDI
// devices of the driver, no attempt succeeds.
func hasRun(t *corev1.ContainerStateTerminated) bool { return t != nil && t.StartedAt.Unix() > 0 }
