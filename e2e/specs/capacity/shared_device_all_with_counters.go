// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceAllWithCounters publishes a shared partition that needs three quarters of its
// parent. One claim requests this partition and a half, by a request for all of both, and
// another one the partition and a quarter.
var sharedDeviceAllWithCounters = suite.Spec{
	ID:           "shared-device-all-with-counters",
	Description:  "A request for all devices is allocated none if a share of one of them and the others need more of a counter than there is.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.Partitions}, sharedDeviceFeatures...),
	Component:    env.Scheduler,
	Since:        "1.36", // As the spec of the shares of several pods.
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsWholePools},
	Requirements: []string{"5075-all-shared-devices", "5075-counters-once"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "shared_partition.yaml"))
		createForAll := func(pod, other string) {
			both := sim.Device(fmt.Sprintf("device.attributes[%q].name in ['shared', %q]", sim.Driver, other))
			claim := devices.NewDeviceClaim(fixture.One(both))
			claim.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
			pods.CreateWithClaim(ctx, e, pod, claim)
		}
		createForAll("in-vain", "half")
		pods.WaitForPending(ctx, e, "the shared partition and the half need more than their parent has", "in-vain")
		createForAll("fits", "quarter")
		pods.WaitForScheduled(ctx, e, "fits")
	},
}
