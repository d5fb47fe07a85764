package specs

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
)

var poolInvalidIsPassedOver = suite.Spec{
	ID:       "pool-invalid-is-passed-over",
	Sentence: "No device is allocated from a pool that is invalid in one of four ways. Other pools of the node stay available.",
	Profile:  partitioning,
	Smoke:    true,
	Features: stagedPartitionsNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    stagedPartitionsOn,
	Since:    "1.35",
	Requirements: []string{
		"4815-references-unchecked-at-admission",
		"4815-duplicate-device",
		"4815-duplicate-counter-set",
		"4815-unknown-counter-set",
		"4815-unknown-counter",
		"4815-valid-pools-serve-on",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		wrong := []string{"duplicate-device", "duplicate-counter-set", "unknown-counter-set", "unknown-counter"}
		stage := e.Stage(ctx, len(wrong))
		var plain, valid []string
		for i, kind := range wrong {
			// The pools are named a-wrong and valid, so that the invalid one is
			// first.
			poolsFrom(kind).publish(ctx, stage, stage.Nodes[i])
			plain, valid = append(plain, "plain-"+kind), append(valid, "valid-"+kind)
		}
		for i := range wrong {
			startOn(ctx, e, stage, stage.Nodes[i], plain[i], "plain")
			startOn(ctx, e, stage, stage.Nodes[i], valid[i], "valid")
		}
		e.AllRefused(ctx, "the pool of its device contradicts itself", plain...)
		e.AllScheduled(ctx, valid...)
	},
}
