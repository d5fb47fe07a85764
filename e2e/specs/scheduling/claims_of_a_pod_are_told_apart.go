// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// claimsOfAPodAreToldApart creates pods with two claims whose requests have the same names and
// differ in everything else: their classes, their selectors, how many devices they are for, and
// their configuration. The claims are in either order.
var claimsOfAPodAreToldApart = suite.Spec{
	ID:           "claims-of-a-pod-are-told-apart",
	Description:  "Each claim of a pod is allocated what its own requests ask for, although another claim has requests of the same names.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-claims-of-a-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 2)
		for _, node := range sim.Names {
			sim.CreatePool(ctx, simulated.Pool{Node: node}, fixture.Devices("card-0", "card-1", "card-2", "disk-0", "disk-1", "disk-2", "disk-3"))
		}
		cards := sim.CreateDeviceClass(ctx, "cards", string(fixture.SubRequestFor(sim, "card").Device.Selector))
		disks := fixture.SubRequestFor(sim, "disk").Device
		claimOf := func(mode string, requests ...devices.Request) resourceapi.DeviceClaim {
			claim := devices.NewDeviceClaim(requests)
			claim.Config = []resourceapi.DeviceClaimConfiguration{{Requests: []string{"second"}, DeviceConfiguration: configuration(sim.Driver, mode)}}
			return claim
		}
		few := claimOf("slow", devices.Request{Name: "first", Device: cards}, devices.Request{Name: "second", Device: disks})
		many := claimOf("fast", devices.Request{Name: "first", Device: disks, Count: 3}, devices.Request{Name: "second", Device: cards, Count: 2})
		for _, order := range [][]string{{"few", "many"}, {"many", "few"}} {
			pod := order[0] + "-first"
			number := map[string]int{order[0]: 0, order[1]: 1}
			both := make([]resourceapi.DeviceClaim, 2)
			both[number["few"]], both[number["many"]] = few, many
			pods.CreateWithClaims(ctx, e, pod, both...)
			pods.WaitForScheduled(ctx, e, pod)
			for _, want := range []struct {
				claim, request, kind string
				count                int
			}{{"few", "first", "card", 1}, {"few", "second", "disk", 1}, {"many", "first", "disk", 3}, {"many", "second", "card", 2}} {
				claim := fmt.Sprintf("%s-%d", pod, number[want.claim])
				got := claims.GetDevicesForRequest(ctx, e, claim, want.request)
				gomega.Expect(got).To(gomega.And(gomega.HaveLen(want.count), gomega.HaveEach(gomega.HaveField("Device", gomega.HavePrefix(want.kind)))),
					"request %s of claim %s is for %d devices of the kind %s", want.request, claim, want.count, want.kind)
			}
			gomega.Expect(modesOf(ctx, e, fmt.Sprintf("%s-%d", pod, number["few"]), "second")).To(gomega.Equal([]string{"slow"}))
			gomega.Expect(modesOf(ctx, e, fmt.Sprintf("%s-%d", pod, number["many"]), "second")).To(gomega.Equal([]string{"fast"}))
		}
	},
}
