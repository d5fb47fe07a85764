package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/calls"
)

var affinityLockOutlivesFailedPrepare = suite.Spec{
	ID:       "affinity-lock-outlives-failed-prepare",
	Sentence: "A claim that its driver fails to prepare still locks its device. Pods with devices that declare keys run like other pods.",
	Profile:  affinity,
	Features: sharingNeeds,
	Judges:   suite.JudgesScheduler,
	Kinds:    []subject.Kind{subject.KindShared},
	Nodes:    1,
	Needs:    []suite.Need{suite.NeedsDrivers},
	Requirements: []string{
		"5981-failed-prepare-keeps-lock",
		"5981-kubelet-unchanged",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		shared := e.Subject.Shared
		driver, apart := shared.Share.Driver, shared.Apart
		node := e.DriverNode(ctx, driver)
		e.Demand(ctx, driver, node, apart.Keys, true)
		e.Disturb(ctx, driver, node, calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 100, Message: "the spec wants this to fail"})
		e.StartConfigured(ctx, "one", node, shared.Share, apart.One)
		e.Waits(ctx, "one", "the spec wants this to fail")
		same := shared.Of(e.Identity(ctx, "one"))
		e.StartConfigured(ctx, "other", node, same, apart.Other)
		e.Refused(ctx, "other", "claim one is allocated the device, although it is not prepared")

		e.StartConfigured(ctx, "agreeing", node, same, apart.One)
		e.Undisturb(ctx, driver, node)
		e.Runs(ctx, "one")
		e.Runs(ctx, "agreeing")
		e.Removed(ctx, "one")
		e.Removed(ctx, "agreeing")
		e.Runs(ctx, "other")
	},
}
