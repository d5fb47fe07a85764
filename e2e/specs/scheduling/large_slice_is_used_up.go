// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// largeSliceIsUsedUp publishes as many devices as a ResourceSlice can have, and
// creates pods with two claims for as many devices as a claim can have, until all are
// allocated.
var largeSliceIsUsedUp = suite.Spec{
	ID:           "large-slice-is-used-up",
	Description:  "All devices of the largest ResourceSlice are allocated, each once, to claims for the largest number of devices. A pod can have several such claims.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-devices-of-a-slice"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		var names []string
		for i := range resourceapi.ResourceSliceMaxDevices {
			names = append(names, fmt.Sprintf("device-%d", i))
		}
		sim.CreateSlices(ctx, resourceapi.ResourceSliceSpec{
			NodeName: &sim.Names[0], Pool: resourceapi.ResourcePool{Name: sim.Names[0]}, Devices: fixture.Devices(names...).Devices,
		})
		const each = resourceapi.AllocationResultsMaxSize
		largest := devices.NewDeviceClaim([]devices.Request{{Name: "devices", Device: sim.Device(""), Count: each}})
		for i := range resourceapi.ResourceSliceMaxDevices / each / 2 {
			name := fmt.Sprintf("two-claims-%d", i)
			pods.CreateWithClaims(ctx, e, name, largest, largest)
			pods.WaitForScheduled(ctx, e, name)
		}
		createPodFor(ctx, e, sim, "one-more", names[len(names)-1])
		pods.WaitForUnschedulable(ctx, e, "one-more", "all devices are allocated")
	},
}
