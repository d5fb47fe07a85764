package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var unprepareLeavesOtherClaims = suite.Spec{
	ID:           "unprepare-leaves-other-claims",
	Sentence:     "When one of two claims of a driver on a node is unprepared, the other one stays prepared.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesDriver,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-unprepares-what-is-named"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		goes, stays := use.start(ctx, e, "goes"), use.start(ctx, e, "stays")
		e.Runs(ctx, goes)
		e.Runs(ctx, stays)
		container := e.Container(ctx, stays)

		e.Removed(ctx, "goes", goes)
		e.Prepared(ctx, use.device.Driver, use.node, "goes", false)
		e.Prepared(ctx, use.device.Driver, use.node, "stays", true)
		e.KeptRunning(ctx, container, "the end of the other claim")
	},
}
