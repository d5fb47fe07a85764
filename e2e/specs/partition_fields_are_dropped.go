package specs

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var partitionFieldsAreDropped = suite.Spec{
	ID:       "partition-fields-are-dropped",
	Sentence: "Without the feature, the API server drops its fields from new ResourceSlices, and devices without these fields can be allocated.",
	Profile:  partitioning,
	Features: []features.Feature{features.Core},
	Without:  []features.Feature{features.Partitions},
	Judges:   suite.JudgesCluster,
	Needs:    stagedPartitionsOn,
	Requirements: []string{
		"4815-off-drops-fields",
		"4815-off-scheduler-goes-on",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		var sent []resourceapi.ResourceSliceSpec
		load("dropped-slices", &sent)
		for i, spec := range sent {
			got := isAccepted(ctx, e, fmt.Sprintf("slice %d of dropped-slices.yaml", i), spec)
			gomega.Expect(got.SharedCounters).To(gomega.BeEmpty(), "the API server should drop sharedCounters")
			gomega.Expect(got.PerDeviceNodeSelection).To(gomega.BeNil(), "the API server should drop perDeviceNodeSelection")
			for _, device := range got.Devices {
				want := resourceapi.Device{Name: device.Name}
				gomega.Expect(device).To(gomega.Equal(want), "the API server should drop what a device consumes and where it is")
			}
		}

		stage := e.Stage(ctx, 1)
		poolsFrom("two-counter-sets").publish(ctx, stage, stage.Nodes[0])
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, offers("plain"))
		e.Start(ctx, "plain", called(stage, "plain"))
		e.Scheduled(ctx, "plain")
	},
}
