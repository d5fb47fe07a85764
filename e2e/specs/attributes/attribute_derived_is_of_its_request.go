// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// attributeDerivedIsOfItsRequest publishes devices that have the same number in
// attributes of different names. A claim has a request for a device of each kind,
// and each request derives the attribute of the constraint from another name.
var attributeDerivedIsOfItsRequest = suite.Spec{
	ID:          "attribute-derived-is-of-its-request",
	Description: "Each request of a claim may derive the same attribute by another expression, so that devices with different attributes can be compared.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    derivedFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"6080-of-one-request",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		// The devices that match are not the first ones.
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, &simulated.Inventory{Devices: []resourceapi.Device{
			numbered("gpu-3", "zone", 3), numbered("gpu-1", "zone", 1), numbered("nic-2", "rack", 2), numbered("nic-1", "rack", 1),
		}})

		gomega.Expect(chosenFor(ctx, e, "pair", gpuAndNIC(sim))).To(gomega.ConsistOf("gpu-1", "nic-1"), "the devices with the same number")

		pods.CreateWithClaim(ctx, e, "late", gpuAndNIC(sim))
		pods.WaitForUnschedulable(ctx, e, "late", "the numbers of the devices that are left differ")
	},
}

// numbered returns a device with a number in an attribute.
func numbered(name, attribute string, number int64) resourceapi.Device {
	device := fixture.Devices(name).Devices[0]
	device.Attributes[resourceapi.QualifiedName(attribute)] = resourceapi.DeviceAttribute{IntValue: &number}
	return device
}

// gpuAndNIC returns a claim for two devices that have the same number in the
// attributes zone and rack.
func gpuAndNIC(sim *simulated.Nodes) resourceapi.DeviceClaim {
	var requests []devices.Request
	attributes := []string{"zone", "rack"}
	for _, attribute := range attributes {
		has := fmt.Sprintf("%q in device.attributes[%q]", attribute, sim.Driver)
		requests = append(requests, devices.Request{Name: attribute, Device: sim.Device(has)})
	}
	claim := devices.NewDeviceClaim(requests, match(derived))
	for i, attribute := range attributes {
		claim.Requests[i].Exactly.DerivedAttributes = derive(sim, derived, "DEVICE."+attribute)
	}
	return claim
}
