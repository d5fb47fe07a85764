// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// claimsOfSeveralDrivers publishes devices of two drivers: of the first on one
// node, of the second on another, and of both on a third. Two pods have a claim
// for a device of each driver.
var claimsOfSeveralDrivers = suite.Spec{
	ID:           "claims-of-several-drivers",
	Description:  "A pod with claims for devices of several drivers is scheduled to a node that has all of them, and to no other.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-claims-of-a-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		cards := simulated.CreateNodes(ctx, e, 3)
		disks := cards.AddDriver(ctx)
		for i, of := range [][]*simulated.Nodes{{cards}, {disks}, {cards, disks}} {
			for _, driver := range of {
				driver.CreatePool(ctx, simulated.Pool{Node: cards.Names[i]}, fixture.Devices("device"))
			}
		}
		each := []resourceapi.DeviceClaim{devices.NewDeviceClaim(fixture.AnyDevice(cards)), devices.NewDeviceClaim(fixture.AnyDevice(disks))}
		pods.CreateWithClaims(ctx, e, "first", each...)
		pods.WaitForScheduled(ctx, e, "first")
		gomega.Expect(pods.GetNode(ctx, e, "first")).To(gomega.Equal(cards.Names[2]), "only this node has devices of both drivers")
		pods.CreateWithClaims(ctx, e, "second", each...)
		pods.WaitForUnschedulable(ctx, e, "second", "no other node has devices of both drivers")
	},
}
