// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// groupsJoinAllocatedDevices publishes counter sets with devices of several
// compatibility groups. For each set, pods use some of the devices, and then a
// pod requests one more.
var groupsJoinAllocatedDevices = suite.Spec{
	ID:          "groups-join-allocated-devices",
	Description: "A device is allocated only if it has a compatibility group that all allocated devices with counters of the same set have, or if none of them has groups.",
	Profile:     profile,
	Level:       suite.Provisional,
	Features:    groupFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"5963-common-group", "5963-without-groups",
	},
	Body: func(ctx context.Context, e *env.Env) { expectGroupsJoin(ctx, e, func(*resourceapi.Device) {}) },
}

// expectGroupsJoin creates the pods of groups.yaml, first those for the members and then
// those for the candidates, and asserts which of them are scheduled. change changes each
// device before it is published.
func expectGroupsJoin(ctx context.Context, e *env.Env, change func(*resourceapi.Device)) {
	ginkgo.GinkgoHelper()
	all := fixture.ReadList[meeting](data, "groups.yaml")
	inventory := inventoryOf(all)
	for i := range inventory.Devices {
		change(&inventory.Devices[i])
	}
	sim := simulated.CreateNodes(ctx, e, 1)
	sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
	var members, accepted []string
	for _, m := range all {
		for i := range m.Members {
			members = append(members, m.member(i))
			pods.CreateWithRequests(ctx, e, m.member(i), fixture.RequestFor(sim, m.member(i)))
		}
	}
	pods.WaitForScheduled(ctx, e, members...)

	refused := map[string]string{}
	for _, m := range all {
		pods.CreateWithRequests(ctx, e, m.candidate(), fixture.RequestFor(sim, m.candidate()))
		if m.Refused == "" {
			accepted = append(accepted, m.candidate())
		} else {
			refused[m.candidate()] = m.Refused
		}
	}
	pods.WaitForScheduled(ctx, e, accepted...)
	pods.WaitForEachUnschedulable(ctx, e, refused)
}
