// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// attributeDerivedGoesWithOthers creates three claims for two devices each, of which only one
// choice satisfies the constraints, and not that of the first devices. In the first claim, one
// request derives what the devices of the other one publish. In the second one, a request
// derives two attributes. In the third one, two requests that match the same devices derive
// the same attribute by different expressions.
var attributeDerivedGoesWithOthers = suite.Spec{
	ID:          "attribute-derived-goes-with-others",
	Description: "A derived attribute of one request is compared with the published attribute of the same name of another request. A request may derive several attributes, each for a constraint, and two requests for the same devices the same attribute by different expressions.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    derivedFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"6080-matched", "6080-of-one-request",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, &simulated.Inventory{Devices: []resourceapi.Device{
			numbered("box-2", "shelf", 2), numbered("box-1", "shelf", 1), numbered("port-3", "slot", 3), numbered("port-1", "slot", 1),
			twiceNumbered("tape-0", "row", 1, "line", 1), twiceNumbered("tape-1", "row", 1, "line", 2), twiceNumbered("tape-2", "row", 1, "line", 2),
			twiceNumbered("link-0", "up", 9, "down", 8), twiceNumbered("link-1", "up", 3, "down", 5), twiceNumbered("link-2", "up", 7, "down", 3),
		}})
		slot := qualified(sim, "slot")
		published := devices.NewDeviceClaim([]devices.Request{requestFor(sim, "box", 1), requestFor(sim, "port", 1)}, match(slot))
		published.Requests[0].Exactly.DerivedAttributes = derive(sim, slot, "DEVICE.shelf")
		expectChoice(ctx, e, "published", published, "box-1", "port-1")

		const second = derived + "_again"
		several := devices.NewDeviceClaim([]devices.Request{requestFor(sim, "tape", 2)}, match(derived), match(second))
		several.Requests[0].Exactly.DerivedAttributes = append(derive(sim, derived, "DEVICE.row"), derive(sim, second, "DEVICE.line")...)
		expectChoice(ctx, e, "several", several, "tape-1", "tape-2")

		twice := devices.NewDeviceClaim([]devices.Request{requestFor(sim, "link", 1), requestFor(sim, "link", 1)}, match(derived))
		twice.Requests[0].Name, twice.Requests[1].Name = "from", "to"
		twice.Requests[0].Exactly.DerivedAttributes = derive(sim, derived, "DEVICE.up")
		twice.Requests[1].Exactly.DerivedAttributes = derive(sim, derived, "DEVICE.down")
		expectChoice(ctx, e, "twice", twice, "link-1", "link-2")
	},
}

// twiceNumbered returns a device with numbers in two attributes.
func twiceNumbered(name, attribute string, number int64, other string, otherNumber int64) resourceapi.Device {
	device := numbered(name, attribute, number)
	device.Attributes[resourceapi.QualifiedName(other)] = resourceapi.DeviceAttribute{IntValue: &otherNumber}
	return device
}

// requestFor returns a request for a number of devices whose names begin with that of the
// request.
func requestFor(sim *simulated.Nodes, name string, count int64) devices.Request {
	return devices.Request{Name: name, Device: fixture.SubRequestFor(sim, name).Device, Count: count}
}

// expectChoice creates a pod with a claim, and asserts which devices it gets.
func expectChoice(ctx context.Context, e *env.Env, pod string, claim resourceapi.DeviceClaim, want ...string) {
	ginkgo.GinkgoHelper()
	gomega.Expect(chosenFor(ctx, e, pod, claim)).To(gomega.ConsistOf(want), "the devices of claim %s should be the only ones that satisfy its constraints", pod)
}
