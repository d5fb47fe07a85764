// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package attributes

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// attributeDerivedIsOfItsSubrequest publishes GPUs, disks and network interfaces that have
// numbers in attributes of different names. Claims request a GPU, and a disk or a network
// interface with the same number.
var attributeDerivedIsOfItsSubrequest = suite.Spec{
	ID:          "attribute-derived-is-of-its-subrequest",
	Description: "Each subrequest of a list may derive the same attribute by another expression. The first one with a device that the constraint allows is allocated.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    slices.Concat(derivedFeatures, []features.Feature{features.PrioritizedList}),
	Component:   env.Scheduler,
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"6080-of-one-subrequest",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, &simulated.Inventory{Devices: []resourceapi.Device{
			numbered("gpu-1", "zone", 1), numbered("gpu-3", "zone", 3),
			numbered("disk-2", "shelf", 2), numbered("disk-3", "shelf", 3),
			numbered("nic-1", "rack", 1), numbered("nic-2", "rack", 2), numbered("nic-3", "rack", 3),
		}})

		pods.CreateWithClaim(ctx, e, "with-disk", diskOrNIC(sim, "gpu-3"))
		expect.ScheduledFor(ctx, e, "with-disk", "a disk has the same number", "gpu", "list/disk")
		pods.CreateWithClaim(ctx, e, "with-nic", diskOrNIC(sim, "gpu-1"))
		expect.ScheduledFor(ctx, e, "with-nic", "a network interface has the same number, and no disk has", "gpu", "list/nic")
	},
}

// diskOrNIC returns a claim for a GPU, and a disk or a network interface that has the same
// number in another attribute.
func diskOrNIC(sim *simulated.Nodes, gpu string) resourceapi.DeviceClaim {
	alternative := func(name, attribute string) devices.SubRequest {
		return devices.SubRequest{Name: name, Device: sim.Device(fmt.Sprintf("%q in device.attributes[%q]", attribute, sim.Driver))}
	}
	claim := devices.NewDeviceClaim([]devices.Request{
		{Name: "gpu", Device: fixture.RequestFor(sim, gpu)[0].Device},
		fixture.FirstAvailable("list", alternative("disk", "shelf"), alternative("nic", "rack")),
	}, match(derived))
	claim.Requests[0].Exactly.DerivedAttributes = derive(sim, derived, "DEVICE.zone")
	claim.Requests[1].FirstAvailable[0].DerivedAttributes = derive(sim, derived, "DEVICE.shelf")
	claim.Requests[1].FirstAvailable[1].DerivedAttributes = derive(sim, derived, "DEVICE.rack")
	return claim
}
