// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
)

// ExpectNotStarted asserts that a pod that is bound to a node waits for its
// devices. It waits until an event reports why the pod is not started. The event
// must name the claim: by its name, its UID, or the name that the pod gives it.
// If the claim is empty, any event is sufficient that is not the scheduler's. Then
// ExpectNotStarted asserts that none of the containers starts for a while.
func ExpectNotStarted(ctx context.Context, e *env.Env, name, claim string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until an event reports why pod %s is not started", name))
	syncTrigger := NewSyncTrigger(e)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := getNotStarted(ctx, e, name)
		if _, started := errors.AsType[startedError](err); started {
			return gomega.StopTrying(err.Error())
		}
		if err != nil {
			return err
		}
		syncTrigger.Trigger(ctx, pod)
		return checkReported(ctx, e, pod, claim)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "the kubelet should report why pod %s is not started", name)
	env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
		_, err := getNotStarted(ctx, e, name)
		if _, started := errors.AsType[startedError](err); started {
			return err, nil
		}
		return nil, err
	}, "pod %s should not be started", name)
}

// IsReported waits until an event reports why a pod that must be scheduled is not started, as in
// [ExpectNotStarted], or until one of its containers starts. It reports whether there is such an
// event.
func IsReported(ctx context.Context, e *env.Env, name, claim string) bool {
	ginkgo.GinkgoHelper()
	waitForBound(ctx, e, name)
	ginkgo.By(fmt.Sprintf("waiting until pod %s is started, or an event reports why it is not", name))
	const started, reported = "started", "reported"
	syncTrigger := NewSyncTrigger(e)
	state, err := env.GetLast(ctx, e.Timeouts.PodStart, func(ctx context.Context) (string, error) {
		pod, err := getNotStarted(ctx, e, name)
		if _, isStarted := errors.AsType[startedError](err); isStarted {
			return started, nil
		}
		if err != nil {
			return "", err
		}
		syncTrigger.Trigger(ctx, pod)
		if checkReported(ctx, e, pod, claim) == nil {
			return reported, nil
		}
		return "", nil
	}, func(state string) bool { return state != "" })
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "pod %s should be readable", name)
	return state == reported
}

// getNotStarted returns a pod. It returns an error if the pod has no node, and
// a startedError if one of its containers was started.
func getNotStarted(ctx context.Context, e *env.Env, name string) (*corev1.Pod, error) {
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if pod.Spec.NodeName == "" {
		return nil, notRunning(ctx, e, pod, "pod %s is not scheduled", name)
	}
	started := slices.ContainsFunc(slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses), func(c corev1.ContainerStatus) bool {
		return c.ContainerID != "" && c.State.Waiting == nil
	})
	if started || pod.Status.Phase != corev1.PodPending {
		return nil, startedError(fmt.Sprintf("pod %s is %s and was started, although its devices were not prepared", name, pod.Status.Phase))
	}
	return pod, nil
}

// startedError reports that a pod was started before its devices were prepared.
type startedError string

func (e startedError) Error() string { return string(e) }

// checkReported returns an error unless an event reports why a pod is not
// started, as in [ExpectNotStarted].
func checkReported(ctx context.Context, e *env.Env, pod *corev1.Pod, claim string) error {
	events, err := listEvents(ctx, e, pod)
	if err != nil {
		return err
	}
	names := namesOf(ctx, e, pod, claim)
	scheduler := cmp.Or(pod.Spec.SchedulerName, corev1.DefaultSchedulerName)
	reported := slices.ContainsFunc(events, func(event corev1.Event) bool {
		if event.ReportingController == scheduler || event.Source.Component == scheduler {
			return false
		}
		return claim == "" || slices.ContainsFunc(names, func(name string) bool { return strings.Contains(event.Message, name) })
	})
	if !reported {
		return fmt.Errorf("no event of pod %s has one of %q: %s", pod.Name, names, whyNotRunning(ctx, e, pod))
	}
	return nil
}

// namesOf returns what an event can call a claim of a pod.
func namesOf(ctx context.Context, e *env.Env, pod *corev1.Pod, claim string) []string {
	names := []string{claim}
	for _, used := range pod.Spec.ResourceClaims {
		if ptr.Deref(used.ResourceClaimName, "") == claim {
			names = append(names, used.Name)
		}
	}
	if got, err := e.Client.ResourceV1().ResourceClaims(pod.Namespace).Get(ctx, claim, metav1.GetOptions{}); claim != "" && err == nil {
		names = append(names, string(got.UID))
	}
	return names
}
