// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// absentDriverLeavesOtherSlices publishes slices of a driver that has no kubelet plugin: of a
// node with devices of the driver under test, of another node, and of all nodes. Then it removes
// the driver under test from the node until the kubelet has deleted its slices.
var absentDriverLeavesOtherSlices = suite.Spec{
	ID:           "absent-driver-leaves-other-slices",
	Description:  "When a driver leaves a node and the kubelet deletes its ResourceSlices, those of other drivers for this node, for other nodes and for all nodes stay.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Devices:      1,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverStop, env.NeedsSimulatedNodes},
	Requirements: []string{"4381-slices-of-other-drivers-stay"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		other := simulated.CreateNodes(ctx, e, 1)
		pools := []simulated.Pool{{Name: device.node, Node: device.node}, {Name: other.Names[0], Node: other.Names[0]}, {Name: e.UniqueName()}}
		for _, pool := range pools {
			other.CreatePool(ctx, pool, fixture.Devices("card"))
		}
		absent := drivers.Stop(ctx, e, device.Driver, device.node)
		devices.WaitForSlicesDeleted(ctx, e, device.Driver, device.node)
		env.ExpectStable(ctx, e, func(ctx context.Context) (violation, checkErr error) {
			for _, pool := range pools {
				if len(other.GetSlices(ctx, pool.Name)) == 0 {
					return fmt.Errorf("pool %s of driver %s has no slices any more", pool.Name, other.Driver), nil
				}
			}
			return nil, nil
		}, "the slices of driver %s should stay, because another driver has left node %s", other.Driver, device.node)
		absent.Start(ctx)
	},
}
