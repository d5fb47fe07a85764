// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package prioritizedlist

import (
	"context"
	"fmt"
	"slices"

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

// prioritizedListGoesWithAllocatedClaims allocates a device of all nodes to a
// claim. For each of four nodes, a pod uses this claim and a list that
// prefers a device that only this node has, and another one only such a list.
var prioritizedListGoesWithAllocatedClaims = suite.Spec{
	ID:          "prioritized-list-goes-with-allocated-claims",
	Description: "A pod with a list and an allocated claim for a device of all nodes is scheduled, preferably to the node that has the first subrequest.",
	Profile:     profile,
	Features:    simulatedFeatures,
	Component:   env.Scheduler,
	Since:       "1.36", // 1.35 computes no scores for such pods and does not schedule them.
	Needs:       []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{
		"4816-nodes-beside-allocated-claims",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 4)
		sim.CreatePool(ctx, simulated.Pool{Name: "of-all-nodes"}, fixture.Devices("link"))
		var seen []string
		for i, node := range sim.Names {
			seen = append(seen, fmt.Sprintf("seen-%d", i))
			inventory := fixture.Devices("common-0", "common-1", "common-2", "common-3", "common-4", "common-5", "common-6", "common-7")
			inventory.Devices = slices.Concat(inventory.Devices, rareDevices(i, 2).Devices, fixture.Devices(seen[i]).Devices)
			sim.CreatePool(ctx, simulated.Pool{Node: node}, inventory)
		}
		expect.SchedulerHasSeen(ctx, e, sim, seen...)
		link, err := claims.Create(ctx, e, "link", devices.NewDeviceClaim(fixture.RequestFor(sim, "link")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		_, err = pods.Create(ctx, e, "holder", pods.Options{}, link)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.WaitForScheduled(ctx, e, "holder")

		listFor := func(i int) resourceapi.DeviceClaim {
			return devices.NewDeviceClaim([]devices.Request{fixture.FirstAvailable("list", rareSubRequest(sim, i), fixture.SubRequestFor(sim, "common"))})
		}
		pod := func(i int) string { return fmt.Sprintf("pod-%d", i) }
		for i := range sim.Names {
			list, err := claims.Create(ctx, e, pod(i), listFor(i))
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
			claims := []*resourceapi.ResourceClaim{link, list}
			if i == 0 {
				claims = []*resourceapi.ResourceClaim{list, link}
			}
			_, err = pods.Create(ctx, e, pod(i), pods.Options{}, claims...)
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
		}
		single := func(i int) string { return fmt.Sprintf("single-%d", i) }
		for i := range sim.Names {
			pods.CreateWithClaim(ctx, e, single(i), listFor(i))
		}
		var preferred, alone []bool
		for i, node := range sim.Names {
			pods.WaitForScheduled(ctx, e, pod(i))
			want := "list/common"
			preferred = append(preferred, pods.GetNode(ctx, e, pod(i)) == node)
			if preferred[i] {
				want = "list/rare"
			}
			expect.AllocatedFor(ctx, e, pod(i), "it is the first alternative of the node", want)
		}
		for i, node := range sim.Names {
			pods.WaitForScheduled(ctx, e, single(i))
			alone = append(alone, pods.GetNode(ctx, e, single(i)) == node)
		}
		expect.PreferredIfEver(e, expect.Choices{What: "pods on the node with their preferred device", Preferred: preferred},
			expect.Choices{What: "pods without an allocated claim on the node with their preferred device", Preferred: alone})
	},
}
