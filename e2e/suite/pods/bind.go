// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// CreateBoundToNode creates a pod that is already bound to a node, without a
// scheduler. The claims that the pod uses need not exist.
func CreateBoundToNode(ctx context.Context, e *env.Env, node, pod string, claimNames ...string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s, which uses %s and is bound to node %s", pod, plural("claim", claimNames), node))
	var used []*resourceapi.ResourceClaim
	for _, name := range claimNames {
		used = append(used, &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	_, err := Create(ctx, e, pod, Options{Change: func(spec *corev1.PodSpec) { spec.NodeName = node }}, used...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// CreateWithFailingBinding creates a claim and a pod of the same name whose
// binding fails after the scheduler has selected a node. Until the end of the
// spec, the API server rejects changes of the claim's status.
// CreateWithFailingBinding returns when the scheduler has reported the failure.
// The spec must have [env.NeedsSimulatedNodes], because the admission policy is
// cluster-scoped.
func CreateWithFailingBinding(ctx context.Context, e *env.Env, name string, devices resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating claim %s, whose status cannot be updated, and its pod", name))
	claim, err := claims.Create(ctx, e, name, devices)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	claims.RejectStatusUpdatesOf(ctx, e, claim)
	_, err = Create(ctx, e, name, Options{}, claim)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	WaitForFailedBinding(ctx, e, name)
}

// CreateWithFailingBindingOf creates claims and a pod that uses all of them, like
// [CreateWithClaims]. The binding of the pod fails like that of
// [CreateWithFailingBinding], because of the claim with this number.
func CreateWithFailingBindingOf(ctx context.Context, e *env.Env, pod string, failing int, devices ...resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("creating pod %s with %d claims, of which the status of one cannot be updated", pod, len(devices)))
	created := createClaims(ctx, e, pod, devices)
	claims.RejectStatusUpdatesOf(ctx, e, created[failing])
	_, err := Create(ctx, e, pod, Options{}, created...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	WaitForFailedBinding(ctx, e, pod)
}

// CreateWithRejectedBinding creates claims and a pod that uses all of them, like
// [CreateWithClaims]. Its claims can be allocated and reserved for it, but until the
// end of the spec, the API server rejects that it is bound, and that it is removed from
// the consumers of the claim with the number kept. CreateWithRejectedBinding returns
// when the scheduler has reported that.
func CreateWithRejectedBinding(ctx context.Context, e *env.Env, pod string, kept int, devices ...resourceapi.DeviceClaim) {
	ginkgo.GinkgoHelper()
	claims.RejectBinding(ctx, e, pod)
	ginkgo.By(fmt.Sprintf("creating pod %s with %d claims", pod, len(devices)))
	created := createClaims(ctx, e, pod, devices)
	claims.RejectRelease(ctx, e, created[kept].Name)
	_, err := Create(ctx, e, pod, Options{}, created...)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	WaitForFailedBinding(ctx, e, pod)
}

// WaitForFailedBinding waits until the scheduler reports that it could not bind a pod that
// fits a node. kube-scheduler reports that as another reason than Unschedulable. The API does
// not require the difference: other schedulers report both as Unschedulable. As any of them
// may observe devices later than the pod, such a report counts only if it lasts.
func WaitForFailedBinding(ctx context.Context, e *env.Env, name string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until the scheduler reports that it could not bind pod " + name)
	var since time.Time
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		scheduled := Condition(pod, corev1.PodScheduled)
		isReported := scheduled != nil && scheduled.Status == corev1.ConditionFalse
		switch {
		case isReported && scheduled.Reason != corev1.PodReasonUnschedulable:
			return nil
		case pod.Spec.NodeName != "":
			return gomega.StopTrying(fmt.Sprintf("pod %s was bound to node %s", name, pod.Spec.NodeName))
		case !isReported:
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		case time.Since(since) >= lasting*e.Timeouts.Stable:
			return nil
		}
		return notRunning(ctx, e, pod, "no binding failure is reported")
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "the binding of pod %s should fail", name)
}

// lasting is for how many times [env.Timeouts.Stable] a scheduler that observes a device late,
// and backs off, does not report a pod as unschedulable that fits a node.
const lasting = 3
