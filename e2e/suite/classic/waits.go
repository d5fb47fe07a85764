// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// GetClaim returns a claim.
func (c *Cluster) GetClaim(ctx context.Context, name string) (Claim, error) {
	var claim Claim
	err := c.get(ctx, claims, name, &claim)
	return claim, err
}

// GetContext returns the PodSchedulingContext of a pod.
func (c *Cluster) GetContext(ctx context.Context, pod string) (Context, error) {
	var found Context
	err := c.get(ctx, contexts, pod, &found)
	return found, err
}

// WaitForContext waits until the PodSchedulingContext of a pod is as a condition
// requires, which returns why it is not.
func (c *Cluster) WaitForContext(ctx context.Context, pod, because string, condition func(Context) error) Context {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting for the PodSchedulingContext of pod %s", pod))
	var found Context
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		if found, err = c.GetContext(ctx, pod); err != nil {
			return err
		}
		return condition(found)
	}).WithTimeout(c.env.Timeouts.PodStart).Should(gomega.Succeed(), because)
	return found
}

// WaitForSelectedNode waits until a node is selected for a pod that is none of some
// others. It returns the node.
func (c *Cluster) WaitForSelectedNode(ctx context.Context, pod, because string, except ...string) string {
	ginkgo.GinkgoHelper()
	return c.WaitForContext(ctx, pod, because, func(found Context) error {
		if node := found.Spec.SelectedNode; node == "" || slices.Contains(except, node) {
			return fmt.Errorf("the selected node of pod %s is %q", pod, node)
		}
		return nil
	}).Spec.SelectedNode
}

// WaitForClaim waits until a claim is as a condition requires, which returns why it is
// not.
func (c *Cluster) WaitForClaim(ctx context.Context, name, because string, condition func(Claim) error) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting for claim " + name)
	gomega.Eventually(ctx, func(ctx context.Context) error {
		claim, err := c.GetClaim(ctx, name)
		if err != nil {
			return err
		}
		return condition(claim)
	}).WithTimeout(c.env.Timeouts.PodStart).Should(gomega.Succeed(), because)
}

// ExpectClaimStays asserts that a claim exists and remains as a condition requires.
func (c *Cluster) ExpectClaimStays(ctx context.Context, name, because string, condition func(Claim) error) {
	ginkgo.GinkgoHelper()
	env.ExpectStable(ctx, c.env, func(ctx context.Context) (violation, checkErr error) {
		claim, err := c.GetClaim(ctx, name)
		switch {
		case apierrors.IsNotFound(err):
			return err, nil
		case err != nil:
			return nil, err
		}
		return condition(claim), nil
	}, because)
}

// WaitForClaimRemoved waits until a deleted claim is removed.
func (c *Cluster) WaitForClaimRemoved(ctx context.Context, name, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until claim " + name + " is removed")
	gomega.Eventually(ctx, func(ctx context.Context) error { return c.checkRemoved(ctx, name) }).
		WithTimeout(c.env.Timeouts.Deletion).Should(gomega.Succeed(), because)
}

func (c *Cluster) checkRemoved(ctx context.Context, name string) error {
	claim, err := c.GetClaim(ctx, name)
	switch {
	case apierrors.IsNotFound(err):
		return nil
	case err != nil:
		return err
	}
	return fmt.Errorf("claim %s exists still, with the finalizers %v", name, claim.Metadata.Finalizers)
}

// WaitForBound waits until a pod is bound to a node, and returns the node.
func (c *Cluster) WaitForBound(ctx context.Context, name, because string) string {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pod %s is bound", name))
	var node string
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := c.env.Client.CoreV1().Pods(c.env.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if node = pod.Spec.NodeName; node == "" {
			return fmt.Errorf("pod %s is not bound: %s", name, messageOf(pod))
		}
		return nil
	}).WithTimeout(c.env.Timeouts.PodStart).Should(gomega.Succeed(), because)
	return node
}

// ExpectNotBound asserts that a pod stays unbound.
func (c *Cluster) ExpectNotBound(ctx context.Context, name, because string) {
	ginkgo.GinkgoHelper()
	pods.ExpectNotBound(ctx, c.env, name, because)
}

// ExpectNoContext asserts that the scheduler asks no driver about a pod.
func (c *Cluster) ExpectNoContext(ctx context.Context, pod, because string) {
	ginkgo.GinkgoHelper()
	env.ExpectStable(ctx, c.env, func(ctx context.Context) (violation, checkErr error) {
		switch _, err := c.GetContext(ctx, pod); {
		case err == nil:
			return errors.New("it exists"), nil
		case !apierrors.IsNotFound(err):
			return nil, err
		}
		return nil, nil
	}, "pod %s should have no PodSchedulingContext, because %s", pod, because)
}

// WaitForContextRemoved waits until a pod has no PodSchedulingContext.
func (c *Cluster) WaitForContextRemoved(ctx context.Context, pod, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until the PodSchedulingContext of pod %s is removed", pod))
	gomega.Eventually(ctx, func(ctx context.Context) bool {
		_, err := c.GetContext(ctx, pod)
		return apierrors.IsNotFound(err)
	}).WithTimeout(c.env.Timeouts.Deletion).Should(gomega.BeTrue(), because)
}

// WaitForUnschedulable waits until the scheduler has reported that a pod fits no node. It
// is something else if the scheduler has tried to schedule the pod and has failed.
func (c *Cluster) WaitForUnschedulable(ctx context.Context, name, because string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pod %s is unschedulable", name))
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := c.env.Client.CoreV1().Pods(c.env.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		reported := pods.Condition(pod, corev1.PodScheduled)
		if !pods.IsUnschedulable(reported) || pod.Spec.NodeName != "" {
			return fmt.Errorf("pod %s has node %q, and the condition PodScheduled is %+v", name, pod.Spec.NodeName, reported)
		}
		return nil
	}).WithTimeout(c.env.Timeouts.Unschedulable).Should(gomega.Succeed(), because)
}

// messageOf returns why a pod is not scheduled.
func messageOf(pod *corev1.Pod) string {
	if scheduled := pods.Condition(pod, corev1.PodScheduled); scheduled != nil {
		return scheduled.Message
	}
	return "the scheduler has not reported anything"
}
