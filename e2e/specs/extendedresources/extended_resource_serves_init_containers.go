// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceServesInitContainers creates a pod with init containers that
// request different amounts of an extended resource, most of them more than the
// container after them, one in which only an init container requests any, and two with
// containers that request zero. There are as many devices as all containers request together.
var extendedResourceServesInitContainers = suite.Spec{
	ID:           "extended-resource-serves-init-containers",
	Description:  "The status of a pod maps each init container to requests for at least the amount that it requests, and other containers to exactly theirs. A container that requests nothing of a resource has no request.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-init-containers"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "card-2", "card-3", "card-4", "card-5", "card-6", "disk", "tape"))
		card, disk, tape := simulated.ExtendedResource(e, "card"), simulated.ExtendedResource(e, "disk"), simulated.ExtendedResource(e, "tape")
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		sim.CreateExtendedResource(ctx, "disk", "disks", named(e, "disk"))
		sim.CreateExtendedResource(ctx, "tape", "tapes", named(e, "tape"))
		expectServed(ctx, e, "pod",
			pods.ResourceUser{Container: "init-0", Init: true, Amounts: amounts{card: 2}}, pods.ResourceUser{Container: "init-1", Init: true, Amounts: amounts{card: 3}},
			pods.ResourceUser{Container: "init-2", Init: true, Amounts: amounts{card: 1}}, pods.ResourceUser{Container: pods.MainContainer, Amounts: amounts{card: 1}})
		expectServed(ctx, e, "only-init", pods.ResourceUser{Container: "init", Init: true, Amounts: amounts{disk: 1}})
		expectServed(ctx, e, "partly", pods.ResourceUser{Container: pods.MainContainer, Amounts: amounts{tape: 0}}, pods.ResourceUser{Container: "other", Amounts: amounts{tape: 1}})
		pods.CreateWithResources(ctx, e, "none", pods.ResourceUser{Container: pods.MainContainer, Amounts: amounts{tape: 0}})
		pods.WaitForScheduled(ctx, e, "none")
		expectNoClaim(ctx, e, "none", "it requests nothing of an extended resource")
	},
}

// expectServed creates a pod, and asserts that its status maps the containers to
// requests for what they request of one extended resource.
func expectServed(ctx context.Context, e *env.Env, pod string, users ...pods.ResourceUser) {
	ginkgo.GinkgoHelper()
	pods.CreateWithResources(ctx, e, pod, users...)
	pods.WaitForScheduled(ctx, e, pod)
	claim, mappings := pods.WaitForExtendedClaim(ctx, e, pod)
	mapped := map[string]int64{}
	for _, use := range usesOf(claim, mappings) {
		mapped[use.container] += use.count
	}
	for _, user := range users {
		for _, amount := range user.Amounts {
			comparison := "=="
			if user.Init {
				comparison = ">="
			}
			gomega.Expect(mapped[user.Container]).To(gomega.BeNumerically(comparison, amount), "container %s of pod %s should be mapped to the devices that it requests", user.Container, pod)
		}
	}
}
