// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package extendedresources

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// extendedResourceIsConfiguredByClass creates a DeviceClass with a configuration and one
// without, which provide extended resources. A pod requests both.
var extendedResourceIsConfiguredByClass = suite.Spec{
	ID:           "extended-resource-is-configured-by-class",
	Description:  "The devices for an extended resource have the configuration of the DeviceClass that provides it, and no other devices have it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     extendedFeatures,
	Component:    env.Scheduler,
	Needs:        simulatedNodes,
	Requirements: []string{"4381-scheduling-configuration-of-the-class"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		device := fixture.RequestFor(sim, "disk")[0].Device
		disk := claims.CreateExtendedResource(ctx, e, "disk", device)
		device = fixture.RequestFor(sim, "card")[0].Device
		device.Config = []resourceapi.DeviceConfiguration{{
			Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: sim.Driver, Parameters: runtime.RawExtension{Raw: []byte(`{"mode":"slow"}`)}},
		}}
		card := claims.CreateExtendedResource(ctx, e, "card", device)
		pods.CreateWithResources(ctx, e, "pod", pods.ResourceUser{Container: pods.MainContainer, Amounts: amounts{card: 1, disk: 1}})
		pods.WaitForScheduled(ctx, e, "pod")

		claim, _ := pods.WaitForExtendedClaim(ctx, e, "pod")
		gomega.Expect(claim.Status.Allocation).NotTo(gomega.BeNil(), "claim %s of a scheduled pod should be allocated", claim.Name)
		var want, configured []string
		for _, request := range claim.Spec.Devices.Requests {
			if request.Exactly.DeviceClassName == claims.DeviceClassName(e, "card") {
				want = append(want, request.Name)
			}
		}
		for _, config := range claim.Status.Allocation.Devices.Config {
			configured = append(configured, config.Requests...)
		}
		gomega.Expect(configured).To(gomega.Equal(want), "the requests of claim %s that are configured by a class should be those of the class with a configuration", claim.Name)
	},
}
