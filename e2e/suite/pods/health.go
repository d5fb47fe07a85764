// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
)

// GetReportedHealth returns the status of the devices of a running pod's main
// container with devices of a driver, as soon as the health of a device is known. It
// returns the last status if no health becomes known: a kubelet does not know it if the
// driver does not report it.
func GetReportedHealth(ctx context.Context, e *env.Env, driver, pod string) []corev1.ResourceStatus {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until the status of pod " + pod + " has the health of its devices")
	last, err := env.GetLast(ctx, e.Patience(driver, subject.Health), func(ctx context.Context) ([]corev1.ResourceStatus, error) {
		return getHealth(ctx, e, pod, MainContainer)
	}, IsHealthKnown)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the status of pod %s should be readable", pod)
	return last
}

// IsHealthKnown reports whether the health of any device is known.
func IsHealthKnown(found []corev1.ResourceStatus) bool {
	return slices.ContainsFunc(found, func(s corev1.ResourceStatus) bool {
		return slices.ContainsFunc(s.Resources, func(h corev1.ResourceHealth) bool {
			return h.Health != "" && h.Health != corev1.ResourceHealthStatusUnknown
		})
	})
}

// GetHealth returns the current status of the devices of a running pod's main
// container.
func GetHealth(ctx context.Context, e *env.Env, pod string) (found []corev1.ResourceStatus) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		found, err = getHealth(ctx, e, pod, MainContainer)
		return err
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "the status of pod %s should be readable", pod)
	return found
}

// getHealth returns the status of the devices of a container of a pod.
func getHealth(ctx context.Context, e *env.Env, name, container string) ([]corev1.ResourceStatus, error) {
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get pod %s: %w", name, err)
	}
	return healthIn(pod, container)
}

// healthIn returns the status of the devices of a container in the status of a pod.
func healthIn(pod *corev1.Pod, container string) ([]corev1.ResourceStatus, error) {
	i := slices.IndexFunc(pod.Status.ContainerStatuses, func(s corev1.ContainerStatus) bool { return s.Name == container })
	if i < 0 {
		return nil, fmt.Errorf("pod %s has no status of container %s", pod.Name, container)
	}
	return pod.Status.ContainerStatuses[i].AllocatedResourcesStatus, nil
}

// WaitForHealth waits until the status of a pod reports this health for all
// devices of its main container.
func WaitForHealth(ctx context.Context, e *env.Env, pod string, want corev1.ResourceHealthStatus) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the devices of pod %s are %s", pod, want))
	waitForHealth(ctx, e, pod, MainContainer, healthIs(want), "the kubelet should report that the devices of pod %s are %s", pod, want)
}

// ExpectHealthStays asserts that for a while the status of a pod reports this
// health for all devices of its main container.
func ExpectHealthStays(ctx context.Context, e *env.Env, pod string, want corev1.ResourceHealthStatus, why string) {
	ginkgo.GinkgoHelper()
	expectHealthStays(ctx, e, pod, MainContainer, healthIs(want), "the devices of pod %s should stay %s: %s", pod, want, why)
}

// ExpectHealthStaysKnown asserts that the status of a pod has the health of the devices
// of its main container for longer than a kubelet relies on one report of a driver. That of
// each device stays known once it is known. A kubelet finds out that a report is outdated when
// it syncs the pod.
func ExpectHealthStaysKnown(ctx context.Context, e *env.Env, name string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("checking for %s that the health of the devices of pod %s stays known", e.Timeouts.HealthExpiry, name))
	syncTrigger := NewSyncTrigger(e)
	known := map[corev1.ResourceID]bool{}
	env.ExpectStableFor(ctx, e, e.Timeouts.HealthExpiry, func(ctx context.Context) (violation, checkErr error) {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, fmt.Errorf("get pod %s: %w", name, err)
		}
		syncTrigger.Trigger(ctx, pod)
		found, err := healthIn(pod, MainContainer)
		if err != nil {
			return nil, err
		}
		if !IsHealthKnown(found) || hasBecomeUnknown(found, known) {
			violation = fmt.Errorf("the status of pod %s has the health %v", name, found)
		}
		return violation, nil
	}, "the driver should report the health of the devices of pod %s again before its last report is outdated", name)
}

// WaitForHealthExpired waits until the health of the devices of the main container is unknown in
// the status of a pod whose driver has stopped reporting it. A kubelet may rely on the last report
// for a while, and finds out that it is outdated when it syncs the pod.
func WaitForHealthExpired(ctx context.Context, e *env.Env, name, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until the health of the devices of pod " + name + " is unknown")
	syncTrigger := NewSyncTrigger(e)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("get pod %s: %w", name, err)
		}
		syncTrigger.Trigger(ctx, pod)
		found, err := healthIn(pod, MainContainer)
		if err != nil {
			return err
		}
		return healthIs(corev1.ResourceHealthStatusUnknown)(found)
	}).WithTimeout(e.Timeouts.HealthExpiry+e.Timeouts.PodStart).Should(gomega.Succeed(),
		"the kubelet should report that the health of the devices of pod %s is unknown, because %s", name, because)
}

// hasBecomeUnknown reports whether the health of a device is not known, and was so before. It
// adds the devices whose health is known.
func hasBecomeUnknown(found []corev1.ResourceStatus, known map[corev1.ResourceID]bool) bool {
	for _, status := range found {
		for _, resource := range status.Resources {
			if resource.Health != "" && resource.Health != corev1.ResourceHealthStatusUnknown {
				known[resource.ResourceID] = true
			} else if known[resource.ResourceID] {
				return true
			}
		}
	}
	return false
}

// healthCheck returns an error if the status of the devices of a container is wrong.
type healthCheck func([]corev1.ResourceStatus) error

func healthIs(want corev1.ResourceHealthStatus) healthCheck {
	return func(found []corev1.ResourceStatus) error { return differing(found, want) }
}

// waitForHealth waits until the status of a container passes a check.
func waitForHealth(ctx context.Context, e *env.Env, pod, container string, check healthCheck, expected ...any) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) error {
		found, err := getHealth(ctx, e, pod, container)
		if err != nil {
			return err
		}
		return check(found)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), expected...)
}

// expectHealthStays asserts that for a while the status of a container passes a check.
func expectHealthStays(ctx context.Context, e *env.Env, pod, container string, check healthCheck, expected ...any) {
	ginkgo.GinkgoHelper()
	env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
		found, err := getHealth(ctx, e, pod, container)
		if err != nil {
			return nil, err
		}
		return check(found), nil
	}, expected...)
}

// differing returns an error unless this health is reported for all devices.
func differing(found []corev1.ResourceStatus, want corev1.ResourceHealthStatus) error {
	if len(found) == 0 {
		return errors.New("the health of devices is not reported")
	}
	for _, status := range found {
		for _, resource := range status.Resources {
			if resource.Health != want {
				return fmt.Errorf("%s of %s is %s", resource.ResourceID, status.Name, resource.Health)
			}
		}
	}
	return nil
}
