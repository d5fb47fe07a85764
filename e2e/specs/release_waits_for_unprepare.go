package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var releaseWaitsForUnprepare = suite.Spec{
	ID:           "release-waits-for-unprepare",
	Sentence:     "The devices of a deleted pod stay allocated until the driver has unprepared them. No other claim gets them before.",
	Profile:      driver,
	Features:     contractFeatures,
	Judges:       suite.JudgesKubelet,
	Kinds:        contractKinds,
	Nodes:        1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-unprepared-before-pod-is-gone"},
	Body: func(ctx context.Context, e *suite.Env) {
		use := useOnNode(ctx, e)
		whole := use.whole(ctx, e, e.Runs(ctx, use.start(ctx, e, "before"))[0])
		e.Disturb(ctx, use.device.Driver, use.node, calls.Fault{Method: calls.Unprepare, Action: calls.Hang, Count: 100})
		e.Delete(ctx, "before-0", false)
		e.Called(ctx, use.device.Driver, use.node, calls.Unprepare, "before")

		late := whole.start(ctx, e, "whole")
		e.Refused(ctx, late, "claim before holds a device that the driver has not given back")
		e.StaysHeld(ctx, "before-0", "before", "the driver has not answered yet")
		e.Undisturb(ctx, use.device.Driver, use.node)
		e.Runs(ctx, late)
	},
}
