// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// selectorsMustAllMatch publishes devices that match the first of three selectors, the
// second, the first two, or all of them. The selectors are those of a DeviceClass, and then
// those of a request. Two claims request a device, and one requests it in addition to another
// one.
var selectorsMustAllMatch = suite.Spec{
	ID:           "selectors-must-all-match",
	Description:  "A device is allocated only if all selectors of the DeviceClass and all selectors of the request match it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-all-selectors"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices(
			"card-large", "card-small", "card-old-large", "disk-large", "port-large", "port-small", "port-old-large", "wire-large",
		))
		all := func(prefix string) []resourceapi.DeviceSelector {
			name := fmt.Sprintf("device.driver == %[1]q && device.attributes[%[1]q].name", sim.Driver)
			return []resourceapi.DeviceSelector{
				{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("%s.startsWith(%q)", name, prefix)}},
				{CEL: &resourceapi.CELDeviceSelector{Expression: name + ".endsWith('-large')"}},
				{CEL: &resourceapi.CELDeviceSelector{Expression: fmt.Sprintf("device.driver == %[1]q && !device.attributes[%[1]q].name.contains('-old-')", sim.Driver)}},
			}
		}
		class := claims.CreateDeviceClassWithSpec(ctx, e, "large-cards", resourceapi.DeviceClassSpec{Selectors: all("card")})
		ofClass := fixture.ClaimOfClass(class, 1)
		selected := fixture.ClaimOfClass(sim.Device("").Class, 1)
		selected.Requests[0].Exactly.Selectors = all("port")
		requested := map[string]resourceapi.DeviceClaim{"class": ofClass, "request": selected}
		for _, name := range []string{"class", "request"} {
			pods.CreateWithClaim(ctx, e, name, requested[name])
			pods.WaitForScheduled(ctx, e, name)
			pods.CreateWithClaim(ctx, e, name+"-again", requested[name])
			later := devices.NewDeviceClaim([]devices.Request{{Name: "first", Device: fixture.RequestFor(sim, "wire-large")[0].Device}})
			later.Requests = append(later.Requests, requested[name].Requests...)
			pods.CreateWithClaim(ctx, e, name+"-later", later)
			pods.WaitForAllUnschedulable(ctx, e, "no other device matches all selectors of the "+name, name+"-again", name+"-later")
		}
	},
}
