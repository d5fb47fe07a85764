// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// partitionMixFitsOneParent creates a pod with the claim of KEP-4815, "Dynamic
// allocation of Multi-Instance GPUs": four partitions with three profiles, with
// a constraint that all have the same parent device. The pod must run and see
// its devices in its container, and all allocated devices must have the same
// parent.
var partitionMixFitsOneParent = suite.Spec{
	ID:          "partition-mix-fits-one-parent",
	Description: "A claim for partitions of several profiles is allocated from one device without overlap.",
	Profile:     profile,
	Smoke:       true,
	Features:    []features.Feature{features.Core, features.Partitions},
	Component:   env.Scheduler,
	Kinds:       []subject.Kind{subject.KindPartition},
	Fields:      []subject.Field{subject.PartitionParents, subject.PartitionMix},
	MinNodes:    1,
	OneNode:     true,
	Requirements: []string{
		"4815-counters-within-a-claim",
		"4815-partitions-fit-together",
		"4815-mix-of-partitions",
		"4815-requests-as-before",
		"4815-status-names-the-device",
		"4816-exactly-without-alternatives",
		"4816-result-names-the-request",
	},
	Body: func(ctx context.Context, e *env.Env) {
		partitions := e.Subject.Partitions
		requests := make([]devices.Request, 0, len(partitions.Mix))
		for i, device := range partitions.Mix {
			requests = append(requests, devices.Request{Name: fmt.Sprintf("partition-%d", i), Device: device})
		}
		pods.CreateWithRequests(ctx, e, "mix", requests, devices.MatchParent(e))
		allocated := pods.WaitForRunning(ctx, e, "mix")

		parents := map[string]bool{}
		for _, device := range allocated {
			parents[devices.GetParent(ctx, e, partitions.Parents, device)] = true
		}
		gomega.Expect(parents).To(gomega.HaveLen(1), "all of %v should have one parent, because the claim's constraint demands it", allocated)
	},
}
