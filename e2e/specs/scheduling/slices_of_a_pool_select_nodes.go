// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// slicesOfAPoolSelectNodes publishes a pool with a slice of one node, one of the nodes in a
// zone, and one of all nodes. It requests a device of each slice, on a node of the slice and
// on another one.
var slicesOfAPoolSelectNodes = suite.Spec{
	ID:           "slices-of-a-pool-select-nodes",
	Description:  "Each slice of a pool has its own node selection, for the pods that get its devices and for the nodes of their allocations.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Since:        "1.35", // The scheduler of 1.34 looks at the slices of a node only, which are not the whole pool.
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-slices-of-a-pool"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 3, func(i int, node *corev1.Node) { node.Labels[zone] = []string{"a", "a", "b"}[i] })
		pool := resourceapi.ResourcePool{Name: e.UniqueName()}
		sim.CreateSlices(ctx,
			resourceapi.ResourceSliceSpec{Pool: pool, NodeName: &sim.Names[0], Devices: fixture.Devices("local-0", "local-1").Devices},
			resourceapi.ResourceSliceSpec{Pool: pool, NodeSelector: inZone("a"), Devices: fixture.Devices("rack-0", "rack-1").Devices},
			resourceapi.ResourceSliceSpec{Pool: pool, AllNodes: ptr.To(true), Devices: fixture.Devices("fabric-0").Devices},
		)
		for _, of := range []struct {
			claim, device string
			on            int
			nodes         []string
		}{{"local", "local-0", 0, sim.Names[:1]}, {"rack", "rack-0", 1, sim.Names[:2]}, {"fabric", "fabric-0", 2, sim.Names}} {
			createPodOn(ctx, e, sim, of.on, of.claim, of.device)
			pods.WaitForScheduled(ctx, e, of.claim)
			gomega.Expect(claims.GetNodesOfAllocation(ctx, e, of.claim, sim.Names)).To(gomega.Equal(of.nodes), "the allocation of claim %s should select the nodes of the slice of its device", of.claim)
		}
		createPodOn(ctx, e, sim, 1, "local-elsewhere", "local-1")
		createPodOn(ctx, e, sim, 2, "rack-elsewhere", "rack-1")
		pods.WaitForAllUnschedulable(ctx, e, "the slices of their devices do not select their nodes", "local-elsewhere", "rack-elsewhere")
		one := []devices.Request{{Name: "local", Device: fixture.RequestFor(sim, "local-1")[0].Device}, {Name: "rack", Device: fixture.RequestFor(sim, "rack-1")[0].Device}}
		pods.CreateWithRequests(ctx, e, "both", one)
		pods.WaitForScheduled(ctx, e, "both")
		pods.ExpectOnNode(ctx, e, "both", sim.Names[0], "only this node has both of its devices")
	},
}
