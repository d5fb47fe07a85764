package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var prioritizedListContainersNameRequests = suite.Spec{
	ID:           "prioritized-list-containers-name-requests",
	Sentence:     "A container that names a request with subrequests sees the devices of the allocated subrequest, and those of no other request.",
	Profile:      prioritizedList,
	Features:     alternativesNeed,
	Judges:       suite.JudgesDriver,
	Kinds:        alternativesOf,
	Nodes:        1,
	Requirements: []string{"4816-container-gets-the-chosen-devices"},
	Body: func(ctx context.Context, e *suite.Env) {
		of := freeChoices(ctx, e)
		// A parent device has only one whole device, so the first subrequest
		// cannot be satisfied.
		e.StartRequestUsers(ctx, "pod", []suite.Request{
			list("list", two(of.whole), two(of.small)),
			{Name: "other", Device: of.small.Device},
		})
		isFor(ctx, e, "pod", "there is one whole device", "list/small", "list/small", "other")
		for _, request := range []string{"list", "other"} {
			e.Sees(ctx, "pod", request, e.DevicesOf(ctx, "pod", request))
		}
	},
}
