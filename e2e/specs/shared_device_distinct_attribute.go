package specs

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceDistinctAttribute = suite.Spec{
	ID:       "shared-device-distinct-attribute",
	Sentence: "With distinctAttribute, no two of the named requests get devices with the same value, so that they do not share one device.",
	Profile:  capacity,
	Features: sharesNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-distinct-attribute",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, described("nics.yaml"))
		three := anyDevices(stage, "a", "b", "c")
		distinct := func(names ...string) resourceapi.DeviceConstraint {
			return resourceapi.DeviceConstraint{DistinctAttribute: ptr.To(attributeOf(stage, "name")), Requests: names}
		}

		e.Start(ctx, "apart", three, distinct())
		e.Refused(ctx, "apart", "its three requests must get three devices, and there are two")
		e.Removed(ctx, "apart")

		// The two devices have three slots in total.
		e.Start(ctx, "partly", three, distinct("a", "c"))
		getShares(ctx, e, "partly")
	},
}

// attributeOf returns the qualified name of an attribute of a stage's devices.
// All devices of [described] and [offers] have the attribute name.
func attributeOf(s *suite.Stage, name string) resourceapi.FullyQualifiedName {
	return resourceapi.FullyQualifiedName(s.Driver + "/" + name)
}

// anyDevices returns one request for any device of a stage for each name.
func anyDevices(s *suite.Stage, names ...string) []suite.Request {
	var all []suite.Request
	for _, name := range names {
		all = append(all, suite.Request{Name: name, Device: s.Device("")})
	}
	return all
}
