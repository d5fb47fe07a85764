// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite/env"
)

// WaitForEvicted waits until pods that the spec has not deleted are deleted. A
// pod on a simulated node does not end, so its deletion timestamp is sufficient.
func WaitForEvicted(ctx context.Context, e *env.Env, because string, names ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until " + plural("pod", names) + " is evicted")
	gomega.Eventually(ctx, func(ctx context.Context) error {
		var errs []error
		for _, name := range names {
			errs = append(errs, CheckEvicted(ctx, e, name))
		}
		return errors.Join(errs...)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "%s should be evicted, because %s", plural("pod", names), because)
}

// CheckEvicted returns an error if a pod that the spec has not deleted is not deleted.
func CheckEvicted(ctx context.Context, e *env.Env, name string) error {
	pod, err := getEvicted(ctx, e, name)
	if err == nil && pod != nil && pod.DeletionTimestamp == nil {
		err = notRunning(ctx, e, pod, "pod %s is not deleted", name)
	}
	return err
}

// IsEvicted waits until a pod that the spec has not deleted is deleted, and reports whether it
// was in time.
func IsEvicted(ctx context.Context, e *env.Env, name string) bool {
	ginkgo.GinkgoHelper()
	ginkgo.By("looking whether pod " + name + " is evicted")
	evicted, err := env.GetLast(ctx, e.Timeouts.PodStart, func(ctx context.Context) (bool, error) {
		pod, err := getEvicted(ctx, e, name)
		return pod == nil || pod.DeletionTimestamp != nil, err
	}, func(evicted bool) bool { return evicted })
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "pod %s should be readable", name)
	return evicted
}

// WaitForDisrupted is [WaitForEvicted] for pods on simulated nodes that the controller of
// taints evicts. While a pod still exists, its status must state that it was disrupted, so
// that its owner does not take it for a failed one.
func WaitForDisrupted(ctx context.Context, e *env.Env, because string, names ...string) {
	ginkgo.GinkgoHelper()
	WaitForEvicted(ctx, e, because, names...)
	for _, name := range names {
		pod, err := getEvicted(ctx, e, name)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		if pod == nil {
			continue
		}
		isStated := slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue
		})
		gomega.Expect(isStated).To(gomega.BeTrue(), "pod %s should have the condition %s, because it was evicted", name, corev1.DisruptionTarget)
	}
}

// ExpectNotEvicted asserts that nothing deletes pods for a while.
func ExpectNotEvicted(ctx context.Context, e *env.Env, because string, names ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("checking that " + plural("pod", names) + " is not evicted")
	env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
		for _, name := range names {
			pod, err := getEvicted(ctx, e, name)
			switch {
			case err != nil:
				checkErr = err
			case pod == nil || pod.DeletionTimestamp != nil:
				return fmt.Errorf("pod %s is deleted", name), nil
			}
		}
		return nil, checkErr
	}, "%s should stay, because %s", plural("pod", names), because)
}

// GetDeletionTime returns when the API server accepted the deletion of an evicted
// pod. If a controller has removed the pod from its simulated node already, that was
// not later than now.
func GetDeletionTime(ctx context.Context, e *env.Env, name string) time.Time {
	ginkgo.GinkgoHelper()
	pod, err := getEvicted(ctx, e, name)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	if pod == nil {
		return time.Now()
	}
	gomega.Expect(pod.DeletionTimestamp).NotTo(gomega.BeNil(), "pod %s should be deleted", name)
	return pod.DeletionTimestamp.Add(-time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0)) * time.Second)
}

// getEvicted returns a pod, or nil if it does not exist any more.
func getEvicted(ctx context.Context, e *env.Env, name string) (*corev1.Pod, error) {
	pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return pod, err
}
