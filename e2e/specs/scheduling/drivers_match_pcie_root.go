// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// driversMatchPCIeRoot publishes two cards and two network interfaces of
// different drivers, of which only the second card and the second interface have
// the same PCIe root. Two claims request a card and an interface with the same
// root.
var driversMatchPCIeRoot = suite.Spec{
	ID:           "drivers-match-pcie-root",
	Description:  "A constraint applies to devices of several drivers: a card and a network interface of the same PCIe root are allocated together, and others are not.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-constraint-over-drivers"},
	Body: func(ctx context.Context, e *env.Env) {
		cards := simulated.CreateNodes(ctx, e, 1)
		nics := cards.AddDriver(ctx)
		cards.CreatePool(ctx, simulated.Pool{Node: cards.Names[0]}, withRoots("pci0000:00", "pci0000:80"))
		nics.CreatePool(ctx, simulated.Pool{Node: cards.Names[0]}, withRoots("pci0000:40", "pci0000:80"))
		requests := []devices.Request{{Name: "card", Device: cards.Device("")}, {Name: "nic", Device: nics.Device("")}}
		sameRoot := resourceapi.DeviceConstraint{Requests: []string{"card", "nic"}, MatchAttribute: ptr.To(pcieRoot)}

		pods.CreateWithRequests(ctx, e, "first", requests, sameRoot)
		pods.WaitForScheduled(ctx, e, "first")
		pods.CreateWithRequests(ctx, e, "second", requests, sameRoot)
		pods.WaitForUnschedulable(ctx, e, "second", "the card and the interface that are left have different PCIe roots")
	},
}

// pcieRoot is the standard attribute for the PCIe root of a device.
const pcieRoot resourceapi.FullyQualifiedName = "resource.kubernetes.io/pcieRoot"

// withRoots returns devices with these PCIe roots.
func withRoots(roots ...string) *simulated.Inventory {
	inventory := &simulated.Inventory{}
	for i, root := range roots {
		inventory.Devices = append(inventory.Devices, resourceapi.Device{
			Name: fmt.Sprintf("device-%d", i), Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{resourceapi.QualifiedName(pcieRoot): {StringValue: &root}},
		})
	}
	return inventory
}
