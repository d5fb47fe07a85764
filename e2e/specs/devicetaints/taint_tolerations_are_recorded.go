// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintTolerationsAreRecorded creates a claim with two requests for devices
// without taints. Only the first request has tolerations.
var taintTolerationsAreRecorded = suite.Spec{
	ID:           "taint-tolerations-are-recorded",
	Description:  "Each device in an allocation has a copy of all tolerations of its request, whether the device has taints or not.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     taintFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.35", // 1.34 records none.
	Requirements: []string{"5055-tolerations-are-recorded"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card-0", "card-1", "disk"))
		claim := devices.NewDeviceClaim([]devices.Request{
			{Name: "cards", Device: fixture.SubRequestFor(sim, "card").Device, Count: 2}, {Name: "disk", Device: fixture.SubRequestFor(sim, "disk").Device},
		})
		claim.Requests[0].Exactly.Tolerations = manyTolerations
		pods.CreateWithClaim(ctx, e, "pod", claim)
		pods.WaitForScheduled(ctx, e, "pod")
		expectRecorded(ctx, e, "pod", map[string][]resourceapi.DeviceToleration{"cards": manyTolerations, "disk": nil})
	},
}

// manyTolerations are tolerations in which each field is set at least once. The
// operators have the values that the API server would set by default.
var manyTolerations = []resourceapi.DeviceToleration{
	{Key: worn, Operator: resourceapi.DeviceTolerationOpEqual, Value: "badly", Effect: resourceapi.DeviceTaintEffectNoSchedule},
	{Key: worn, Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoExecute, TolerationSeconds: ptr.To[int64](3600)},
	{Operator: resourceapi.DeviceTolerationOpExists, Effect: resourceapi.DeviceTaintEffectNoSchedule},
}

// expectRecorded asserts the tolerations of the devices in a claim's
// allocation, by the name of the request or subrequest in the results.
func expectRecorded(ctx context.Context, e *env.Env, claim string, want map[string][]resourceapi.DeviceToleration) {
	for _, result := range claims.GetAllocation(ctx, e, claim).Results {
		gomega.Expect(want).To(gomega.HaveKey(result.Request), "the devices of claim %s", claim)
		recorded := gomega.BeEmpty()
		if tolerations := want[result.Request]; len(tolerations) > 0 {
			recorded = gomega.Equal(tolerations)
		}
		gomega.Expect(result.Tolerations).To(recorded, "device %s of claim %s should have the tolerations of %s", result.Device, claim, result.Request)
	}
}
