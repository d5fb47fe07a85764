package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

var sharedDeviceServesNamespaces = suite.Spec{
	ID:           "shared-device-serves-namespaces",
	Sentence:     "Claims of different namespaces share a device, and capacity that one namespace consumes is unavailable for the other.",
	Profile:      capacity,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Judges:       suite.JudgesScheduler,
	Needs:        []suite.Need{suite.NeedsStage},
	Requirements: []string{"5075-several-namespaces"},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared(nil, "device"))
		other := e.Neighbour(ctx)
		for _, pod := range []string{"one", "two"} {
			e.Start(ctx, pod, anyOf(stage))
			e.Scheduled(ctx, pod)
			other.Start(ctx, pod, anyOf(stage))
			other.Scheduled(ctx, pod)
		}
		// The device has four slots.
		e.Start(ctx, "three", anyOf(stage))
		e.Refused(ctx, "three", "the claims of both namespaces have all slots of the device")
		other.Removed(ctx, "one")
		e.Scheduled(ctx, "three")
	},
}
