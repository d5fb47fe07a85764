// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceSidecarsHaveOwnDevices creates a pod with two sidecars, an init
// container after them and a container, which request one of an extended resource each.
// There is a device for each of them, although the last two can share one.
var extendedResourceSidecarsHaveOwnDevices = suite.Spec{
	ID:           "extended-resource-sidecars-have-own-devices",
	Description:  "The devices for the extended resources of a sidecar are not those of the containers that start after it, because it runs beside them.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"5004-sidecars"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "card-2", "card-3"))
		sim.CreateExtendedResource(ctx, "card", "cards", named(e, "card"))
		one := amounts{simulated.ExtendedResource(e, "card"): 1}
		pods.CreateWithResources(ctx, e, "pod",
			pods.ResourceUser{Container: "sidecar", Sidecar: true, Amounts: one}, pods.ResourceUser{Container: "second-sidecar", Sidecar: true, Amounts: one},
			pods.ResourceUser{Container: "init", Init: true, Amounts: one}, pods.ResourceUser{Container: pods.MainContainer, Amounts: one})
		pods.WaitForScheduled(ctx, e, "pod")
		containers := []string{"sidecar", "second-sidecar", "init", pods.MainContainer}
		own := map[string][]audit.DeviceID{}
		for _, container := range containers {
			own[container] = pods.GetExtendedDevices(ctx, e, "pod", container)
			gomega.Expect(own[container]).NotTo(gomega.BeEmpty(), "container %s of pod pod should have a device", container)
		}
		for i, sidecar := range containers[:2] {
			for _, later := range containers[i+1:] {
				for _, device := range own[sidecar] {
					gomega.Expect(own[later]).NotTo(gomega.ContainElement(device), "container %s of pod pod should not have the device of %s, which runs beside it", later, sidecar)
				}
			}
		}
	},
}
