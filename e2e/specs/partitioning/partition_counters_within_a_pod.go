// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"

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

// partitionCountersWithinAPod creates two pods with three claims each, for
// partitions of one GPU. The partitions of the first pod overlap, those of the
// second pod do not.
var partitionCountersWithinAPod = suite.Spec{
	ID:          "partition-counters-within-a-pod",
	Description: "Devices of several claims of one pod do not overdraw a counter together.",
	Profile:     profile,
	Level:       suite.Core,
	Features:    partitionFeatures,
	Component:   env.Scheduler,
	Needs:       simulatedNodes,
	Requirements: []string{
		"4815-counters-within-a-pod",
		"4815-refused-without-counters",
	},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		node := sim.Names[0]
		sim.CreatePool(ctx, simulated.Pool{Node: node}, a100s(node, 1))
		start := func(pod string, places ...string) {
			var created []*resourceapi.ResourceClaim
			for i, place := range places {
				claim, err := claims.Create(ctx, e, fmt.Sprintf("%s-%d", pod, i), devices.NewDeviceClaim(fixture.One(deviceAt(sim, place))))
				gomega.Expect(err).NotTo(gomega.HaveOccurred())
				created = append(created, claim)
			}
			_, err := pods.Create(ctx, e, pod, pods.Options{}, created...)
			gomega.Expect(err).NotTo(gomega.HaveOccurred())
		}
		start("too-much", "3g.20gb@0", "2g.10gb@4", "1g.10gb@4")
		pods.WaitForUnschedulable(ctx, e, "too-much", "two of its claims need the same memory slices")
		start("enough", "3g.20gb@0", "2g.10gb@4", "1g.10gb@6")
		pods.WaitForScheduled(ctx, e, "enough")
	},
}
