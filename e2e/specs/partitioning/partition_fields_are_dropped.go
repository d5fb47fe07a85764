// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionFieldsAreDropped creates slices with the fields of partitionable
// devices in dry runs, and expects them without these fields. Then it
// publishes partitions and another device, and requests the latter.
var partitionFieldsAreDropped = suite.Spec{
	ID:             "partition-fields-are-dropped",
	Description:    "Without the feature, the API server drops its fields from new ResourceSlices, and devices without these fields can be allocated, be they partitions that exist or others.",
	Profile:        profile,
	Features:       []features.Feature{features.Core},
	AbsentFeatures: []features.Feature{features.Partitions},
	Component:      env.Cluster,
	Needs:          simulatedNodes,
	Requirements: []string{
		"4815-off-drops-fields",
		"4815-off-scheduler-goes-on",
	},
	Body: func(ctx context.Context, e *env.Env) {
		var sent []resourceapi.ResourceSliceSpec
		load("dropped-slices", &sent)
		for i, spec := range sent {
			got := expectAccepted(ctx, e, fmt.Sprintf("slice %d of dropped-slices.yaml", i), spec)
			gomega.Expect(got.SharedCounters).To(gomega.BeEmpty(), "the API server should drop sharedCounters")
			gomega.Expect(got.PerDeviceNodeSelection).To(gomega.BeNil(), "the API server should drop perDeviceNodeSelection")
			for _, device := range got.Devices {
				want := resourceapi.Device{Name: device.Name}
				gomega.Expect(device).To(gomega.Equal(want), "the API server should drop the consumed counters and the node selection of a device")
			}
		}

		sim := simulated.CreateNodes(ctx, e, 1)
		// This is what a driver publishes that does not know of the gate. Without
		// counters, its partitions are like other devices.
		loadPools("two-counter-sets").publish(ctx, sim, sim.Names[0])
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("plain"))
		pods.CreateWithRequests(ctx, e, "plain", fixture.RequestFor(sim, "plain"))
		pods.CreateWithRequests(ctx, e, "left", fixture.RequestFor(sim, "left"))
		pods.WaitForScheduled(ctx, e, "plain", "left")
	},
}
