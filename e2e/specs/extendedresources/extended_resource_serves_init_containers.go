// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceServesInitContainers creates a pod with an init container that
// requests more of an extended resource than the container after it. There are as
// many devices as both request together.
var extendedResourceServesInitContainers = suite.Spec{
	ID:           "extended-resource-serves-init-containers",
	Description:  "The status of a pod maps an init container to requests for at least the amount that it requests, and other containers to exactly theirs.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-init-containers"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "card-2", "card-3"))
		card := simulated.ExtendedResource(e, "card")
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		pods.CreateWithResources(ctx, e, "pod",
			pods.ResourceUser{Container: "init", Init: true, Amounts: amounts{card: 3}}, pods.ResourceUser{Container: pods.MainContainer, Amounts: amounts{card: 1}})
		pods.WaitForScheduled(ctx, e, "pod")
		claim, mappings := pods.WaitForExtendedClaim(ctx, e, "pod")
		mapped := map[string]int64{}
		for _, use := range usesOf(claim, mappings) {
			mapped[use.container] += use.count
		}
		gomega.Expect(mapped["init"]).To(gomega.BeNumerically(">=", 3), "the init container of pod pod should be mapped to the three devices that it requests")
		gomega.Expect(mapped[pods.MainContainer]).To(gomega.BeNumerically("==", 1), "the container of pod pod should be mapped to the device that it requests")
	},
}
