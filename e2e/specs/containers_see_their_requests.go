package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var containersSeeTheirRequests = suite.Spec{
	ID:           "containers-see-their-requests",
	Sentence:     "A container that names a request of a claim sees that request's device and no other, and one that names the claim sees all of them.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesDriver,
	Kinds:        contractKinds,
	Nodes:        1,
	Requirements: []string{"4381-containers-name-requests"},
	Body: func(ctx context.Context, e *suite.Env) {
		// The devices of the two requests differ only in their request names.
		same := e.Subject.Exclusive.Device
		e.StartRequestUsers(ctx, "pod", []suite.Request{{Name: "one", Device: same}, {Name: "two", Device: same}})
		e.Runs(ctx, "pod")
		for _, request := range []string{"one", "two"} {
			e.Sees(ctx, "pod", request, e.DevicesOf(ctx, "pod", request))
		}
	},
}
