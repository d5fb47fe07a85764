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
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// WaitForUnschedulable waits until the scheduler reports a pod as
// unschedulable, and asserts that it stays unschedulable. It returns the
// scheduler's message.
func WaitForUnschedulable(ctx context.Context, e *env.Env, name, because string) string {
	ginkgo.GinkgoHelper()
	return WaitForEachUnschedulable(ctx, e, map[string]string{name: because})[name]
}

// WaitForAllUnschedulable is [WaitForUnschedulable] for several pods at the
// same time. It returns the scheduler's messages in the order of the pods.
func WaitForAllUnschedulable(ctx context.Context, e *env.Env, because string, names ...string) []string {
	ginkgo.GinkgoHelper()
	each := map[string]string{}
	for _, name := range names {
		each[name] = because
	}
	byPod := WaitForEachUnschedulable(ctx, e, each)
	var messages []string
	for _, name := range names {
		messages = append(messages, byPod[name])
	}
	return messages
}

// WaitForEachUnschedulable is [WaitForUnschedulable] for pods that are
// unschedulable for different reasons. The keys are the names of the pods. It
// returns the scheduler's messages by pod.
func WaitForEachUnschedulable(ctx context.Context, e *env.Env, because map[string]string) map[string]string {
	ginkgo.GinkgoHelper()
	names := slices.Sorted(maps.Keys(because))
	verb := "is"
	if len(names) > 1 {
		verb = "are"
	}
	ginkgo.By(fmt.Sprintf("waiting until %s %s unschedulable", plural("pod", names), verb))
	messages := map[string]string{}
	check := func(ctx context.Context, verb string) error {
		listed, err := listPodsAndClaims(ctx, e)
		if err != nil {
			return err
		}
		var errs []error
		for _, name := range names {
			if messages[name], err = unschedulableMessage(ctx, e, name, listed); err != nil {
				errs = append(errs, &expectationError{fmt.Sprintf("pod %s should %s unschedulable, because %s", name, verb, because[name]), err})
			}
		}
		return errors.Join(errs...)
	}
	waitForStable(ctx, e, func(ctx context.Context) error { return check(ctx, "be") }, func(ctx context.Context) error { return check(ctx, "stay") })
	return messages
}

// waitForStable waits until pods are unschedulable, and asserts that they are
// not allocated anything for a while. Both functions check the pods. They
// return an allocatedError if a device was allocated.
func waitForStable(ctx context.Context, e *env.Env, unschedulable, stays func(context.Context) error, why ...any) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) error {
		err := unschedulable(ctx)
		// An allocation does not go away, so waiting longer is useless.
		if _, allocated := errors.AsType[allocatedError](err); allocated {
			return gomega.StopTrying(err.Error())
		}
		return err
	}).WithTimeout(e.Timeouts.Unschedulable).Should(gomega.Succeed(), why...)
	env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
		err := stays(ctx)
		if _, allocated := errors.AsType[allocatedError](err); allocated {
			return err, nil
		}
		return nil, err
	}, why...)
}

// plural returns the kind of objects and their names. The kind is in the plural
// if there are several names.
func plural(kind string, names []string) string {
	if len(names) > 1 {
		kind += "s"
	}
	return kind + " " + strings.Join(names, ", ")
}

// unschedulableMessage returns the scheduler's message for an unschedulable
// pod. It returns an error if the pod is not reported as unschedulable.
func unschedulableMessage(ctx context.Context, e *env.Env, name string, listed podsAndClaims) (string, error) {
	pod, ok := listed.pods[name]
	if !ok {
		return "", errors.New("the pod does not exist")
	}
	if err := checkNotAllocated(ctx, e, pod, listed); err != nil {
		return "", err
	}
	scheduled := Condition(pod, corev1.PodScheduled)
	if !IsUnschedulable(scheduled) {
		return "", notRunning(ctx, e, pod, "pod %s is not reported as unschedulable", name)
	}
	return scheduled.Message, nil
}

// IsUnschedulable reports whether a condition states that no node fits a pod. A
// scheduler may have a more specific reason than Unschedulable, but not one that
// the API has for something else.
func IsUnschedulable(scheduled *corev1.PodCondition) bool {
	return scheduled != nil && scheduled.Status == corev1.ConditionFalse &&
		scheduled.Reason != corev1.PodReasonSchedulerError && scheduled.Reason != corev1.PodReasonSchedulingGated
}

// checkNotAllocated returns an error if a pod that should be unschedulable was
// allocated devices or scheduled. It ignores the allocation of a claim that is
// reserved for other pods.
func checkNotAllocated(ctx context.Context, e *env.Env, pod *corev1.Pod, listed podsAndClaims) error {
	for _, name := range ClaimNames(pod) {
		claim, ok := listed.claims[name]
		if !ok {
			return fmt.Errorf("its claim %s does not exist", name)
		}
		others := slices.ContainsFunc(claim.Status.ReservedFor, func(user resourceapi.ResourceClaimConsumerReference) bool { return user.UID != pod.UID })
		if claim.Status.Allocation != nil && !others {
			return allocatedError(fmt.Sprintf("claim %s was allocated %v for a pod on node %q%s", name, audit.Allocated(claim), pod.Spec.NodeName, devices.DescribeOverallocation(ctx, e)))
		}
	}
	if pod.Spec.NodeName != "" {
		return allocatedError(fmt.Sprintf("pod %s was scheduled to node %s%s", pod.Name, pod.Spec.NodeName, devices.DescribeOverallocation(ctx, e)))
	}
	return nil
}

// allocatedError reports that a pod that should be unschedulable was allocated
// devices or scheduled.
type allocatedError string

func (e allocatedError) Error() string { return string(e) }
