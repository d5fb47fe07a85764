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

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
)

// GetRestartCount returns how often the main container of a pod was restarted.
func GetRestartCount(ctx context.Context, e *env.Env, name string) int32 {
	ginkgo.GinkgoHelper()
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return mainStatus(pod).RestartCount
}

// mainStatus returns the status of the main container of a pod, which is the first one
// that the spec gave it. A webhook of the cluster may have added others.
func mainStatus(pod *corev1.Pod) corev1.ContainerStatus {
	ginkgo.GinkgoHelper()
	all := pod.Status.ContainerStatuses
	i := slices.IndexFunc(all, func(c corev1.ContainerStatus) bool { return c.Name == MainContainer })
	gomega.Expect(i).NotTo(gomega.Equal(-1), "pod %s should have a status of container %s", pod.Name, MainContainer)
	return all[i]
}

// The kubelet restarts a container at once at first. Before each further restart, it waits
// twice as long as before, unless its configuration makes that shorter
// (pkg/kubelet/kubelet.go, MaxCrashLoopBackOff).
const (
	firstRestartDelay = 10 * time.Second
	maxRestartDelay   = 5 * time.Minute
)

// restartDelay returns how long the kubelet waits at most before it restarts a container
// for the n-th time.
func restartDelay(n int32) time.Duration {
	if n <= 1 {
		return 0
	}
	delay := firstRestartDelay
	for range n - 2 {
		delay = min(2*delay, maxRestartDelay)
	}
	return delay
}

// WaitForContainerRestarted waits until the main container of a pod has ended and
// was restarted at least the given number of times, at most one more than it has
// been. It returns the devices of the pod's claims.
func WaitForContainerRestarted(ctx context.Context, e *env.Env, name string, times int32) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	return expectAllocationsFulfilled(ctx, e, WaitForRestarts(ctx, e, name, times))
}

// WaitForRestarts is [WaitForContainerRestarted] without assertions about the pod's claims,
// whose devices need not be offered at present. It returns the pod.
func WaitForRestarts(ctx context.Context, e *env.Env, name string, times int32) (pod *corev1.Pod) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the container of pod %s is restarted", name))
	syncTrigger := NewSyncTrigger(e)
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		pod, err = e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		syncTrigger.Trigger(ctx, pod)
		for _, c := range pod.Status.ContainerStatuses {
			if c.Name == MainContainer && c.RestartCount >= times && hasRun(c.LastTerminationState.Terminated) {
				return nil
			}
		}
		return fmt.Errorf("pod %s is %s: %s", name, pod.Status.Phase, whyNotRunning(ctx, e, pod))
	}).WithTimeout(e.Timeouts.PodStart+restartDelay(times)).Should(gomega.Succeed(), "the kubelet should restart the container, because of the restart policy of the pod")
	return pod
}

// Container identifies a container of a pod, so that a spec can detect that it
// was replaced.
type Container struct {
	Pod, ID, Node string
}

// GetContainer returns the main container of a running pod.
func GetContainer(ctx context.Context, e *env.Env, name string) Container {
	ginkgo.GinkgoHelper()
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return Container{Pod: name, ID: mainStatus(pod).ContainerID, Node: pod.Spec.NodeName}
}

// ExpectNotRestarted asserts that a container was not restarted, and what
// [WaitForRunning] does for its pod.
func ExpectNotRestarted(ctx context.Context, e *env.Env, before Container, despite string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("checking that pod %s has not been restarted", before.Pod))
	expectSameContainer(ctx, e, before, despite) // For a restarted container, this failure is more specific than that of WaitForRunning.
	WaitForRunning(ctx, e, before.Pod)
	expectSameContainer(ctx, e, before, despite)
}

// ExpectSameContainer asserts that the container of a pod has not been restarted. Unlike
// [ExpectNotRestarted], it asserts nothing about the devices of the pod, which ResourceSlices
// may not offer any more.
func ExpectSameContainer(ctx context.Context, e *env.Env, before Container, despite string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("checking that pod %s has not been restarted", before.Pod))
	expectSameContainer(ctx, e, before, despite)
}

func expectSameContainer(ctx context.Context, e *env.Env, before Container, despite string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(GetContainer(ctx, e, before.Pod)).To(gomega.Equal(before), "the container of pod %s should keep running despite %s", before.Pod, despite)
}

// WaitForContainerReplaced waits until a pod has another container than before,
// and asserts what [WaitForRunning] does.
func WaitForContainerReplaced(ctx context.Context, e *env.Env, before Container, after string) {
	ginkgo.GinkgoHelper()
	WaitForOtherContainer(ctx, e, before, after)
	WaitForRunning(ctx, e, before.Pod)
}

// WaitForOtherContainer waits until a pod has another container than before and
// is ready.
func WaitForOtherContainer(ctx context.Context, e *env.Env, before Container, after string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pod %s has a new container", before.Pod))
	syncTrigger := NewSyncTrigger(e)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, before.Pod, metav1.GetOptions{})
		if err != nil {
			return err
		}
		syncTrigger.Trigger(ctx, pod)
		for _, c := range pod.Status.ContainerStatuses {
			if c.Name == MainContainer && c.State.Running != nil && c.ContainerID != before.ID && isReady(pod) {
				return nil
			}
		}
		return fmt.Errorf("pod %s is %s: %s", pod.Name, pod.Status.Phase, whyNotRunning(ctx, e, pod))
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "the pod's container should be restarted after %s", after)
}

// isReady reports whether a pod is ready. After a restart of its node the
// container status can be outdated, but the pod is not ready then.
func isReady(pod *corev1.Pod) bool {
	ready := Condition(pod, corev1.PodReady)
	return ready != nil && ready.Status == corev1.ConditionTrue
}
