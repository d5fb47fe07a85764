package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var affinityRequestsApart = suite.Spec{
	ID:       "affinity-requests-apart",
	Sentence: "Each request has the values of the entries that name it or that name no request, so that two requests of a claim can lock two devices to different values.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5981-requests-apart",
		"5981-entry-for-all-requests",
		"5981-one-entry-per-request",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, shared([]string{subnet}, "one", "two", "three", "four", "clean"))
		pair := func(first, second string) []suite.Request {
			return []suite.Request{as("first", called(stage, first)), as("second", called(stage, second))}
		}
		e.StartClaim(ctx, "each", claiming(pair("one", "two"), inSubnet("a", "first"), inSubnet("b", "second")))
		e.Scheduled(ctx, "each")
		e.StartClaim(ctx, "all", claiming(pair("three", "four"), inSubnet("c")))
		e.Scheduled(ctx, "all")

		for device, value := range map[string]string{"one": "a", "two": "b", "three": "c", "four": "c"} {
			e.StartClaim(ctx, device+"-same", claiming(called(stage, device), inSubnet(value)))
			e.Scheduled(ctx, device+"-same")
		}
		e.StartClaim(ctx, "one-b", claiming(called(stage, "one"), inSubnet("b")))
		e.StartClaim(ctx, "two-a", claiming(called(stage, "two"), inSubnet("a")))
		e.StartClaim(ctx, "four-a", claiming(called(stage, "four"), inSubnet("a")))
		e.StartClaim(ctx, "twice", claiming(called(stage, "clean"), inSubnet("a"), inSubnet("a", "device")))
		e.StartClaim(ctx, "half", claiming(pair("one", "clean"), inSubnet("a", "first")))
		e.StartClaim(ctx, "swapped", claiming(pair("one", "two"), inSubnet("b", "first"), inSubnet("a", "second")))
		e.StartClaim(ctx, "itself", claiming(pair("clean", "clean"), inSubnet("a", "first"), inSubnet("b", "second")))
		e.EachRefused(ctx, map[string]string{
			"one-b": "device one is locked to the value of the request that has it", "two-a": "device two is locked to the value of the request that has it",
			"four-a": "device four is locked to the value of all requests",
			"twice":  "one entry is for its request and one for all", "half": "its second request states nothing",
			"swapped": "each of its requests states the value of the other device", "itself": "its requests state different values for one device",
		})
	},
}
