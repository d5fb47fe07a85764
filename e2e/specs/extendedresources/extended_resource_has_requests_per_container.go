// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceHasRequestsPerContainer creates a pod with three containers that
// request different amounts of two extended resources, and one that requests none.
var extendedResourceHasRequestsPerContainer = suite.Spec{
	ID:           "extended-resource-has-requests-per-container",
	Description:  "The claim has a request for each extended resource of each container with its amount, and the status of the pod states which request it is.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-request-per-container", "5004-mappings"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "card-2", "disk-0", "disk-1"))
		card, disk := simulated.ExtendedResource(e, "card"), simulated.ExtendedResource(e, "disk")
		classes := map[corev1.ResourceName]string{
			card: sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card")).Class, disk: sim.CreateExtendedResource(ctx, "disk", "disks", named(e, "disk")).Class,
		}
		users := []pods.ResourceUser{
			{Container: pods.MainContainer, Amounts: amounts{card: 1}}, {Container: "none"},
			{Container: "two-cards", Amounts: amounts{card: 2, disk: 1}}, {Container: "disk", Amounts: amounts{disk: 1}},
		}
		pods.CreateWithResources(ctx, e, "pod", users...)
		pods.WaitForScheduled(ctx, e, "pod")
		var want []use
		for _, user := range users {
			for resource, amount := range user.Amounts {
				want = append(want, use{user.Container, resource, classes[resource], amount})
			}
		}
		claim, mappings := pods.WaitForExtendedClaim(ctx, e, "pod")
		gomega.Expect(usesOf(claim, mappings)).To(gomega.ConsistOf(want), "the status of pod pod should map each container to requests with its amounts")
		gomega.Expect(claim.Spec.Devices.Requests).To(gomega.HaveLen(len(want)), "claim %s should have a request for each container and resource", claim.Name)
	},
}

// use is the use of a request by a container.
type use struct {
	container string
	resource  corev1.ResourceName
	class     string
	count     int64
}

// usesOf returns which requests of a claim the containers of a pod use. A request
// that the claim does not have has no class.
func usesOf(claim *resourceapi.ResourceClaim, mappings []corev1.ContainerExtendedResourceRequest) []use {
	var all []use
	for _, m := range mappings {
		one := use{container: m.ContainerName, resource: corev1.ResourceName(m.ResourceName)}
		for _, request := range claim.Spec.Devices.Requests {
			if request.Name == m.RequestName && request.Exactly != nil {
				one.class, one.count = request.Exactly.DeviceClassName, request.Exactly.Count
			}
		}
		all = append(all, one)
	}
	return all
}
