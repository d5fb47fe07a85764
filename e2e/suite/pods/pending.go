// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"errors"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// ExpectNotBound asserts that a pod is not bound to a node for a while.
func ExpectNotBound(ctx context.Context, e *env.Env, name, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("checking that pod %s is not bound to a node", name))
	env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err == nil && pod.Spec.NodeName != "" {
			violation = fmt.Errorf("pod %s was bound to node %s", name, pod.Spec.NodeName)
		}
		return violation, err
	}, "pod %s should not be bound, because %s", name, because)
}

// WaitForPending waits until the scheduler reports a message for each of the
// pods, and asserts that for a while they are not scheduled and get no devices.
// Unlike [WaitForAllUnschedulable] it accepts any message, including errors.
func WaitForPending(ctx context.Context, e *env.Env, because string, names ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("checking that no node is assigned to %s", plural("pod", names)))
	pending := func(ctx context.Context) error {
		listed, err := listPodsAndClaims(ctx, e)
		if err != nil {
			return err
		}
		var errs []error
		for _, name := range names {
			pod, ok := listed.pods[name]
			if !ok {
				errs = append(errs, fmt.Errorf("pod %s does not exist", name))
				continue
			}
			errs = append(errs, checkNotAllocated(ctx, e, pod, listed))
			scheduled := Condition(pod, corev1.PodScheduled)
			if !isReported(scheduled) {
				errs = append(errs, notRunning(ctx, e, pod, "the scheduler reports nothing about pod %s", name))
			}
		}
		return errors.Join(errs...)
	}
	why := fmt.Sprintf("%s should stay pending, because %s", plural("pod", names), because)
	waitForStable(ctx, e, pending, pending, why)
}

// isReported reports whether a scheduler has stated in a condition why a pod is
// pending.
func isReported(scheduled *corev1.PodCondition) bool {
	return scheduled != nil && scheduled.Status == corev1.ConditionFalse && scheduled.Message != ""
}

// WaitForOtherMessage waits until the scheduler reports another message about a pod than
// before, and asserts that the pod is still not scheduled. Like [WaitForPending] it
// accepts any message, including errors. Messages may have the number of nodes and other
// changes of the cluster, so the spec must run alone. A scheduler that backs off tries
// the pod again as late as one that it can schedule.
func WaitForOtherMessage(ctx context.Context, e *env.Env, name, before, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the scheduler reports something else about pod %s", name))
	gomega.Eventually(ctx, func(ctx context.Context) (string, error) {
		listed, err := listPodsAndClaims(ctx, e)
		if err != nil {
			return "", err
		}
		pod, ok := listed.pods[name]
		if !ok {
			return "", fmt.Errorf("pod %s does not exist", name)
		}
		err = checkNotAllocated(ctx, e, pod, listed)
		if _, allocated := errors.AsType[allocatedError](err); allocated {
			return "", gomega.StopTrying(err.Error())
		}
		if err != nil {
			return "", err
		}
		scheduled := Condition(pod, corev1.PodScheduled)
		if !isReported(scheduled) {
			return "", notRunning(ctx, e, pod, "the scheduler reports nothing about pod %s", name)
		}
		return scheduled.Message, nil
	}).WithTimeout(e.Timeouts.PodStart).ShouldNot(gomega.Equal(before), "the scheduler should report about pod %s that %s", name, because)
}
