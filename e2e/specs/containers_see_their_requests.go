package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var containersSeeTheirRequests = suite.Spec{
	ID:           "containers-see-their-requests",
	Sentence:     "A container that names a request of a claim sees only the device of that request. A container that names the claim sees all of its devices.",
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
