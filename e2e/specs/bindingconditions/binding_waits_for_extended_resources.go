// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingWaitsForExtendedResources publishes a device with binding conditions that
// provides an extended resource, and creates a pod that requests the resource.
var bindingWaitsForExtendedResources = suite.Spec{
	ID:           "binding-waits-for-extended-resources",
	Description:  "A pod waits until the devices that provide its extended resources are ready, as it does for those of its claims.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.ExtendedResources}, bindingFeatures...),
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-waits-for-extended-resources"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fabric("card"))
		sim.CreateExtendedResource(ctx, "card", "cards", "true")
		pods.CreateWithResources(ctx, e, "pod", pods.ResourceUser{
			Container: pods.MainContainer, Amounts: map[corev1.ResourceName]int64{simulated.ExtendedResource(e, "card"): 1},
		})
		claim := waitForOwnClaim(ctx, e, "pod")
		expectWaiting(ctx, e, map[string]string{"pod": "the device for its extended resource is not ready"})
		reportReady(ctx, e, claim)
		pods.WaitForScheduled(ctx, e, "pod")
	},
}

// waitForOwnClaim waits until a pod owns an allocated claim, and returns its name. The
// status of the pod need not name the claim before the pod is bound.
func waitForOwnClaim(ctx context.Context, e *env.Env, pod string) string {
	ginkgo.GinkgoHelper()
	var name string
	gomega.Eventually(ctx, func(ctx context.Context) error {
		owned := pods.ListOwnedClaims(ctx, e, pod)
		if len(owned) != 1 || owned[0].Status.Allocation == nil {
			return fmt.Errorf("it owns %d claims", len(owned))
		}
		name = owned[0].Name
		return nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "pod %s should own an allocated claim for its extended resources", pod)
	return name
}
