// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package workloadclaims

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// podGroupWaitsForAllDevices creates a PodGroup of two pods that must be scheduled together,
// each with a claim of its own for a device. First there is one device, and then another one.
var podGroupWaitsForAllDevices = suite.Spec{
	ID:           "pod-group-waits-for-all-devices",
	Description:  "No pod of a PodGroup whose pods must be scheduled together gets devices before there are devices for all of them. Then all of them are scheduled.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     allocateClaims,
	Component:    env.Scheduler,
	Needs:        groupsOfTheSpec,
	Requirements: []string{"5729-groups-get-all-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		members := []string{"first", "second"}
		createGang(ctx, e, int32(len(members)))
		for _, member := range members {
			_, err := claims.Create(ctx, e, member, devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			createMember(ctx, e, member, corev1.PodResourceClaim{Name: "own", ResourceClaimName: &member})
		}
		pods.WaitForPending(ctx, e, "there is one device for the two pods of the group", members...)
		sim.CreatePool(ctx, simulated.Pool{Name: sim.Names[0] + "-more", Node: sim.Names[0]}, fixture.Devices("card"))
		pods.WaitForScheduled(ctx, e, members...)
	},
}
