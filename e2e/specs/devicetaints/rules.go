// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// ruleFeatures are the features that specs of DeviceTaintRules need.
var ruleFeatures = append([]features.Feature{features.DeviceTaintRules}, taintFeatures...)

// createTwoPools publishes the devices card and disk on each of two nodes, whose
// pools have the names of the nodes.
func createTwoPools(ctx context.Context, e *env.Env) *simulated.Nodes {
	ginkgo.GinkgoHelper()
	sim := simulated.CreateNodes(ctx, e, 2)
	for _, node := range sim.Names {
		sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("card", "disk"))
	}
	return sim
}

// selector returns the selector of a DeviceTaintRule for the driver of simulated
// nodes. An empty pool or device selects all.
func selector(sim *simulated.Nodes, pool, device string) resourceapi.DeviceTaintSelector {
	s := resourceapi.DeviceTaintSelector{Driver: &sim.Driver}
	if pool != "" {
		s.Pool = &pool
	}
	if device != "" {
		s.Device = &device
	}
	return s
}

// expectOpen asserts that a device of a node is allocated to a new pod.
func expectOpen(ctx context.Context, e *env.Env, sim *simulated.Nodes, node int, device string) {
	ginkgo.GinkgoHelper()
	pod := fmt.Sprintf("%s-of-node-%d", device, node)
	pods.CreateWithClaimOnNode(ctx, e, pod, sim.Names[node], claimFor(sim, device))
	pods.WaitForScheduled(ctx, e, pod)
}

// waitForClosed waits until a device of a node is not allocated to new pods any
// more, and returns the first pod that waits for it. A scheduler may observe a
// taint or a DeviceTaintRule a little later than the pods that are created
// afterwards, so pods that were scheduled are deleted, and the next one is tried
// (KEP-5055, Risks and Mitigations).
func waitForClosed(ctx context.Context, e *env.Env, sim *simulated.Nodes, node int, device, because string, tolerations ...resourceapi.DeviceToleration) string {
	ginkgo.GinkgoHelper()
	var pod string
	next := 0
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod = fmt.Sprintf("closed-%s-of-node-%d-%d", device, node, next)
		next++
		pods.CreateWithClaimOnNode(ctx, e, pod, sim.Names[node], claimFor(sim, device, tolerations...))
		if isRefused(ctx, e, pod) {
			return nil
		}
		pods.DeleteWithClaim(ctx, e, pod)
		return errors.New("it was allocated to the claim of pod " + pod)
	}).WithTimeout(e.Timeouts.Unschedulable).Should(gomega.Succeed(), "device %s of node %d should not be allocated, because %s", device, node, because)
	return pod
}

// isRefused waits until a pod is scheduled, and then returns false, or until it
// has been reported as unschedulable for a while.
func isRefused(ctx context.Context, e *env.Env, name string) bool {
	ginkgo.GinkgoHelper()
	var scheduled *corev1.PodCondition
	var since time.Time
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		scheduled = pods.Condition(pod, corev1.PodScheduled)
		switch {
		case scheduled == nil:
			return fmt.Errorf("the scheduler reports nothing about pod %s", name)
		case scheduled.Status == corev1.ConditionTrue:
			return nil
		case since.IsZero():
			since = time.Now()
		}
		if time.Since(since) < e.Timeouts.Stable {
			return fmt.Errorf("pod %s is unschedulable, but perhaps not for long", name)
		}
		return nil
	}).WithTimeout(e.Timeouts.Unschedulable + e.Timeouts.Stable).Should(gomega.Succeed())
	return scheduled.Status != corev1.ConditionTrue
}
