// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharedDeviceDistinctAttribute publishes two devices with three slots in
// total. A claim requests three devices with different names, and another one
// requires different names of two of its three requests only.
var sharedDeviceDistinctAttribute = suite.Spec{
	ID:          "shared-device-distinct-attribute",
	Description: "With distinctAttribute, no two of the named requests get devices with the same value, so that they do not share one device.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    sharedDeviceFeatures,
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"5075-distinct-attribute",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "nics.yaml"))
		three := anyDevices(sim, "a", "b", "c")
		distinct := func(names ...string) resourceapi.DeviceConstraint {
			return resourceapi.DeviceConstraint{DistinctAttribute: ptr.To(qualifiedName(sim, "name")), Requests: names}
		}

		pods.CreateWithRequests(ctx, e, "apart", three, distinct())
		pods.WaitForUnschedulable(ctx, e, "apart", "its three requests must get three devices, and there are two")
		pods.DeleteWithClaim(ctx, e, "apart")

		// The two devices have three slots in total.
		pods.CreateWithRequests(ctx, e, "partly", three, distinct("a", "c"))
		waitForShares(ctx, e, "partly")
	},
}

// qualifiedName returns the qualified name of an attribute of the devices.
// All devices of [fixture.Load] and [fixture.Devices] have the attribute name.
func qualifiedName(s *simulated.Nodes, name string) resourceapi.FullyQualifiedName {
	return resourceapi.FullyQualifiedName(s.Driver + "/" + name)
}

// anyDevices returns one request for any device of the simulated nodes for each
// name.
func anyDevices(s *simulated.Nodes, names ...string) []devices.Request {
	var all []devices.Request
	for _, name := range names {
		all = append(all, devices.Request{Name: name, Device: s.Device("")})
	}
	return all
}
