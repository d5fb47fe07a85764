// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devicetaints

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// taintTolerationsOfAlternativeAreRecorded creates a claim with a list of three
// subrequests, each with its own tolerations. The first does not fit. A second list has a
// subrequest with the name of the one that does, and other tolerations.
var taintTolerationsOfAlternativeAreRecorded = suite.Spec{
	ID:           "taint-tolerations-of-alternative-are-recorded",
	Description:  "A device that is allocated for a subrequest has the tolerations of this subrequest, and not those of others, also if one in another list has the same name.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     append([]features.Feature{features.PrioritizedList}, taintFeatures...),
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Since:        "1.35", // 1.34 records none.
	Requirements: []string{"5055-tolerations-of-an-alternative-are-recorded"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("card", "disk")
		inventory.Devices[0].Taints = []resourceapi.DeviceTaint{noSchedule}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		namesake := fixture.SubRequestFor(sim, "disk")
		namesake.Name = "card"
		claim := devices.NewDeviceClaim([]devices.Request{
			fixture.FirstAvailable("list", fixture.SubRequestFor(sim, "none"), fixture.SubRequestFor(sim, "card"), fixture.SubRequestFor(sim, "disk")),
			fixture.FirstAvailable("other", namesake),
		})
		list, other := claim.Requests[0].FirstAvailable, claim.Requests[1].FirstAvailable
		other[0].Tolerations = []resourceapi.DeviceToleration{tolerate("draconform.dev/of-other", noSchedule.Effect)}
		for i := range list {
			list[i].Tolerations = []resourceapi.DeviceToleration{tolerate(worn, noSchedule.Effect), tolerate("draconform.dev/of-"+list[i].Name, noSchedule.Effect)}
		}
		pods.CreateWithClaim(ctx, e, "pod", claim)
		pods.WaitForScheduled(ctx, e, "pod")
		expectRecorded(ctx, e, "pod", map[string][]resourceapi.DeviceToleration{"list/card": list[1].Tolerations, "other/card": other[0].Tolerations})
	},
}
