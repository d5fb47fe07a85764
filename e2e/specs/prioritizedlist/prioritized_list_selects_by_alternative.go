// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// prioritizedListSelectsByAlternative creates a claim with a list whose first
// subrequest has a class and a selector that match different devices. The
// second subrequest has two selectors that only one device matches.
var prioritizedListSelectsByAlternative = suite.Spec{
	ID:          "prioritized-list-selects-by-alternative",
	Description: "A subrequest gets a device that matches its own DeviceClass and all of its own selectors.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    simulatedFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4816-selectors-of-an-alternative",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("slow-x", "fast-y", "slow-y"))
		name := fmt.Sprintf("device.attributes[%q].name", sim.Driver)
		fast := sim.CreateDeviceClass(ctx, "fast", name+`.startsWith("fast")`)
		alternative := func(name, class string, selectors ...string) resourceapi.DeviceSubRequest {
			a := resourceapi.DeviceSubRequest{Name: name, DeviceClassName: class}
			for _, s := range selectors {
				a.Selectors = append(a.Selectors, resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: s}})
			}
			return a
		}
		pods.CreateWithClaim(ctx, e, "list", resourceapi.DeviceClaim{Requests: []resourceapi.DeviceRequest{{
			Name: "list",
			FirstAvailable: []resourceapi.DeviceSubRequest{
				// The class and the selector each match one device, but not the
				// same one.
				alternative("fast-x", fast.Class, name+`.endsWith("-x")`),
				// Each selector also matches a device that the other one does
				// not.
				alternative("slow-y", sim.Class, name+`.startsWith("slow")`, name+`.endsWith("-y")`),
			},
		}}})
		expect.ScheduledFor(ctx, e, "list", "no device is both of the class fast and called -x", "list/slow-y")
		gomega.Expect(claims.GetAllocation(ctx, e, "list").Results[0].Device).To(gomega.Equal("slow-y"), "the device that both selectors accept")

		// The class alone matches a device.
		pods.CreateWithRequests(ctx, e, "fast", []devices.Request{fixture.FirstAvailable("list", devices.SubRequest{Name: "fast", Device: fast})})
		expect.ScheduledFor(ctx, e, "fast", "its class has a device", "list/fast")
		gomega.Expect(claims.GetAllocation(ctx, e, "fast").Results[0].Device).To(gomega.Equal("fast-y"), "the only device of the class")
	},
}
