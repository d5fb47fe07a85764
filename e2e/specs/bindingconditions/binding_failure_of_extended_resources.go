// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingFailureOfExtendedResources lets a device fail that provides an extended resource for a
// pod. It is the only one, so the pod gets it again, and then it becomes ready.
var bindingFailureOfExtendedResources = suite.Spec{
	ID:           "binding-failure-of-extended-resources",
	Description:  "When a device that provides an extended resource for a pod fails, the pod is not bound. It gets devices anew, and is bound when these are ready.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     slices.Concat(bindingFeatures, []features.Feature{features.ExtendedResources}),
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.37", // Older schedulers may not retry the pod when they have deleted its claim.
	Requirements: []string{"5007-failure-of-extended-resources"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fabric("card"))
		sim.CreateExtendedResource(ctx, "card", "cards", fmt.Sprintf("device.attributes[%q].name == %q", sim.Driver, "card"))
		createPodWithCard(ctx, e, "pod")
		former := waitForOwnClaim(ctx, e, "pod")
		report(ctx, e, former, map[string]conditions{"card": {failed: metav1.ConditionTrue}})
		reportReady(ctx, e, waitForNextClaim(ctx, e, "pod", former))
		pods.WaitForScheduled(ctx, e, "pod")
	},
}

// waitForNextClaim waits until a pod that is not bound owns an allocated claim whose device has
// no status: another one than the former one, or that one, allocated anew. It returns its name.
func waitForNextClaim(ctx context.Context, e *env.Env, pod, former string) string {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until pod %s has a device anew", pod))
	var name string
	gomega.Eventually(ctx, func(ctx context.Context) error {
		got, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, pod, metav1.GetOptions{})
		if err == nil && got.Spec.NodeName != "" {
			err = gomega.StopTrying(fmt.Sprintf("pod %s was bound to node %s", pod, got.Spec.NodeName))
		}
		if err != nil {
			return err
		}
		for _, claim := range pods.ListOwnedClaims(ctx, e, pod) {
			if claim.DeletionTimestamp == nil && claim.Status.Allocation != nil && len(claim.Status.Devices) == 0 {
				name = claim.Name
				return nil
			}
		}
		return fmt.Errorf("it owns no allocated claim but %s, whose device has failed", former)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "pod %s should get a device for its extended resource anew, because that of claim %s has failed", pod, former)
	return name
}
