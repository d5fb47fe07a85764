// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
)

// WaitForRequestHealth waits until the status of a container that uses one request of
// the pod's only claim reports this health for one device of the request, and nothing
// else.
func WaitForRequestHealth(ctx context.Context, e *env.Env, pod, container, request string, want corev1.ResourceHealthStatus) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the device of container %s of pod %s is %s", container, pod, want))
	waitForHealth(ctx, e, pod, container, requestHealthIs(request, want), "the kubelet should report that the device of container %s is %s", container, want)
}

// ExpectRequestHealthStays asserts for a while what [WaitForRequestHealth] waits for.
func ExpectRequestHealthStays(ctx context.Context, e *env.Env, pod, container, request string, want corev1.ResourceHealthStatus, why string) {
	ginkgo.GinkgoHelper()
	expectHealthStays(ctx, e, pod, container, requestHealthIs(request, want), "the device of container %s should stay %s: %s", container, want, why)
}

func requestHealthIs(request string, want corev1.ResourceHealthStatus) healthCheck {
	name := corev1.ResourceName("claim:" + ClaimOf(0) + "/" + request)
	return func(found []corev1.ResourceStatus) error {
		if len(found) != 1 || found[0].Name != name || len(found[0].Resources) != 1 {
			return fmt.Errorf("want the health of one device of %s, got %v", name, found)
		}
		return differing(found, want)
	}
}

// WaitForHealthOfClaims waits until the status of a pod has the health of devices of the first
// claims of the pod, as many as given, and of no others, for its main container.
func WaitForHealthOfClaims(ctx context.Context, e *env.Env, pod string, count int) {
	ginkgo.GinkgoHelper()
	want := map[corev1.ResourceName]bool{}
	for i := range count {
		want[corev1.ResourceName("claim:"+ClaimOf(i))] = true
	}
	ginkgo.By(fmt.Sprintf("waiting until the status of pod %s has the health of the devices of %d claims", pod, count))
	waitForHealth(ctx, e, pod, MainContainer, func(found []corev1.ResourceStatus) error {
		got := map[corev1.ResourceName]bool{}
		for _, status := range found {
			got[status.Name] = len(status.Resources) > 0
		}
		if !maps.Equal(got, want) {
			return fmt.Errorf("the health is reported of %v", slices.Sorted(maps.Keys(got)))
		}
		return nil
	}, "the kubelet should report the health of the devices of %d claims for pod %s", count, pod)
}

// WaitForHealthMessage waits until the status of a pod has this message about the health
// of all devices of its main container. An empty message stands for none.
func WaitForHealthMessage(ctx context.Context, e *env.Env, pod, want string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the status of pod %s has the message %q about its devices", pod, want))
	waitForHealth(ctx, e, pod, MainContainer, healthMessageIs(want), "the kubelet should report the driver's message %q about the devices of pod %s", want, pod)
}

// WaitForShortenedHealthMessage is [WaitForHealthMessage] for a message that is longer than a
// status can have. How much of it is reported is up to the kubelet.
func WaitForShortenedHealthMessage(ctx context.Context, e *env.Env, pod, message string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the status of pod %s has the beginning of a message of %d characters about its devices", pod, len(message)))
	begins := func(got string) bool {
		return len(got) <= corev1.ResourceHealthMessageMaxLength && len(got) >= shortest && strings.HasPrefix(got, message[:shortest])
	}
	waitForHealth(ctx, e, pod, MainContainer, healthMessage(begins), "the kubelet should report the beginning of the driver's message about the devices of pod %s, which is too long", pod)
}

// shortest is the number of characters that must be left of a message that is shortened.
const shortest = 100

// ExpectHealthMessageStays asserts for a while what [WaitForHealthMessage] waits for.
func ExpectHealthMessageStays(ctx context.Context, e *env.Env, pod, want, why string) {
	ginkgo.GinkgoHelper()
	expectHealthStays(ctx, e, pod, MainContainer, healthMessageIs(want), "the message about the devices of pod %s should stay %q: %s", pod, want, why)
}

func healthMessageIs(want string) healthCheck {
	return healthMessage(func(got string) bool { return got == want })
}

// healthMessage returns a check of the messages about all devices.
func healthMessage(isRight func(string) bool) healthCheck {
	return func(found []corev1.ResourceStatus) error {
		devices := 0
		for _, status := range found {
			for _, resource := range status.Resources {
				devices++
				if message := ptr.Deref(resource.Message, ""); !isRight(message) {
					return fmt.Errorf("the message about %s of %s is %q", resource.ResourceID, status.Name, message)
				}
			}
		}
		if devices == 0 {
			return errors.New("the health of devices is not reported")
		}
		return nil
	}
}
