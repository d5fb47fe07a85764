// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"
	"strings"

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

// largestClaimIsAllocated creates a claim with as many requests, constraints and configurations
// as possible. Each request is for a certain device, except for the last one: its selectors
// are as many as possible, too. Of the devices that it may get, those before and after the
// right one violate only the last selector or the last constraint.
var largestClaimIsAllocated = suite.Spec{
	ID:           "largest-claim-is-allocated",
	Description:  "A claim with the largest numbers of requests, selectors, constraints and configurations is allocated, and the last one of each counts.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-largest-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := &simulated.Inventory{}
		for i := range resourceapi.DeviceRequestsMaxSize - 1 {
			inventory.Devices = append(inventory.Devices, withManyAttributes(unit(i)))
		}
		for _, name := range []string{"last-unselected-0", "last-unlike-0", "last", "last-unselected-1", "last-unlike-1"} {
			inventory.Devices = append(inventory.Devices, withManyAttributes(name))
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		pods.CreateWithClaim(ctx, e, "largest", largestClaim(sim))
		pods.WaitForScheduled(ctx, e, "largest")
		got := claims.GetDevicesForRequest(ctx, e, "largest", "last")
		gomega.Expect(got).To(gomega.ConsistOf(gomega.HaveField("Device", "last")), "the device that all selectors and constraints of the last request allow")
		gomega.Expect(modesOf(ctx, e, "largest", "last")).To(gomega.Equal([]string{"last"}), "the last request should have its own configuration")
	},
}

// unit returns the name of a request and of its device.
func unit(number int) string { return fmt.Sprintf("unit-%02d", number) }

// compared is the number of attributes that a device can have in addition to its name.
const compared = resourceapi.ResourceSliceMaxAttributesAndCapacitiesPerDevice - 1

// withManyAttributes returns a device with as many attributes as possible, which are the same
// for all devices, except for the last one of devices whose names begin with last-unlike.
func withManyAttributes(name string) resourceapi.Device {
	values := map[resourceapi.QualifiedName]string{}
	for i := range compared {
		values[resourceapi.QualifiedName(fmt.Sprintf("same%d", i))] = "a"
	}
	if strings.HasPrefix(name, "last-unlike") {
		values[resourceapi.QualifiedName(fmt.Sprintf("same%d", compared-1))] = "b"
	}
	return withStrings(name, values)
}

// largestClaim returns a claim for devices of [withManyAttributes].
func largestClaim(sim *simulated.Nodes) resourceapi.DeviceClaim {
	var requests []devices.Request
	var names []string
	for i := range resourceapi.DeviceRequestsMaxSize - 1 {
		requests = append(requests, devices.Request{Name: unit(i), Device: fixture.RequestFor(sim, unit(i))[0].Device})
		names = append(names, unit(i))
	}
	requests, names = append(requests, devices.Request{Name: "last", Device: sim.Device("")}), append(names, "last")
	claim := devices.NewDeviceClaim(requests)
	last := claim.Requests[len(requests)-1].Exactly
	for i := range resourceapi.DeviceSelectorsMaxSize - 1 {
		last.Selectors = append(last.Selectors, selector(withOwn(sim, fmt.Sprintf("own.name.startsWith('last') && own.name != 'last-%d'", i))))
	}
	last.Selectors = append(last.Selectors, selector(withOwn(sim, "!own.name.startsWith('last-unselected')")))
	// There are fewer attributes than constraints.
	for i := range resourceapi.DeviceConstraintsMaxSize {
		constraint := same(ownName(sim, fmt.Sprintf("same%d", max(0, i-(resourceapi.DeviceConstraintsMaxSize-compared)))))
		if i == resourceapi.DeviceConstraintsMaxSize-1 {
			constraint.Requests = names
		}
		claim.Constraints = append(claim.Constraints, constraint)
	}
	for i, name := range names[:resourceapi.DeviceConfigMaxSize] {
		claim.Config = append(claim.Config, resourceapi.DeviceClaimConfiguration{Requests: names[i : i+1], DeviceConfiguration: configuration(sim.Driver, name)})
	}
	return claim
}

func selector(expression string) resourceapi.DeviceSelector {
	return resourceapi.DeviceSelector{CEL: &resourceapi.CELDeviceSelector{Expression: expression}}
}
