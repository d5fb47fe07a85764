// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionLayoutsFit publishes one A100 for each layout, which is a largest
// set of partitions that do not overlap. A pod for each layout requests all
// partitions of the layout from one GPU, and is scheduled. After that, a pod
// that accepts any partition or a whole GPU is unschedulable.
var partitionLayoutsFit = suite.Spec{
	ID:          "partition-layouts-fit",
	Description: "Partitions of an A100 that do not overlap are allocated together, in every combination, until all GPUs are full.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"4815-partitions-fit-together",
		"4815-requests-as-before",
		"4815-status-names-the-device",
	},
	Body: func(ctx context.Context, e *env.Env) {
		_, layouts := placements()
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, a100s(sim.Names[0], len(layouts)))
		var podNames []string
		for i, layout := range layouts {
			var devices []subject.Device
			for _, place := range layout {
				devices = append(devices, deviceAt(sim, place))
			}
			podNames = append(podNames, fmt.Sprintf("layout-%d", i))
			pods.CreateWithRequests(ctx, e, podNames[i], requestsFor(devices...), sameGPU(sim))
		}
		pods.WaitForScheduled(ctx, e, podNames...)

		all, _ := placements()
		places := []string{"whole"}
		for _, p := range all {
			places = append(places, p.name)
		}
		pods.CreateWithRequests(ctx, e, "late", fixture.One(deviceAt(sim, places...)))
		pods.WaitForUnschedulable(ctx, e, "late", "the layouts use up all GPUs")
	},
}
