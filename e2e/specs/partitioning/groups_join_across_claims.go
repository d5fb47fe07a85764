// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// groupsJoinAcrossClaims publishes a counter set with devices of two
// compatibility groups. Pods have two claims each: for devices of different
// groups, and for any device and one of a group. The first and the last device are
// of the other group, so that the claim for any device has to leave them.
var groupsJoinAcrossClaims = suite.Spec{
	ID:          "groups-join-across-claims",
	Description: "Devices that the claims of one pod get from the same counter set have a compatibility group in common. They are found if there are any.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    groupFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"4381-scheduling-any-combination", "5963-within-a-pod",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		mig, vgpu := consumption{"gpu", []string{"mig"}}, consumption{"gpu", []string{"vgpu"}}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, &simulated.Inventory{
			CounterSets: []resourceapi.CounterSet{counterSet("gpu")},
			Devices:     []resourceapi.Device{grouped("mig-0", mig), grouped("vgpu-0", vgpu), grouped("vgpu-1", vgpu), grouped("mig-1", mig)},
		})
		claimFor := func(device string) resourceapi.DeviceClaim {
			return devices.NewDeviceClaim(fixture.RequestFor(sim, device))
		}

		pods.CreateWithClaims(ctx, e, "apart", claimFor("mig-0"), claimFor("vgpu-0"))
		pods.WaitForUnschedulable(ctx, e, "apart", "the devices of its two claims are of different compatibility groups")
		pods.CreateWithClaims(ctx, e, "together", devices.NewDeviceClaim(fixture.AnyDevice(sim)), claimFor("vgpu-0"))
		pods.WaitForScheduled(ctx, e, "together")
	},
}
