package run

import (
	"context"
	"slices"

	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// underway adds what journeys find, if there are any.
func (r *runner) underway(ctx context.Context, target cluster, there *suite.Situation) error {
	if !slices.ContainsFunc(r.specs, func(s suite.Spec) bool { return s.Journey != nil }) {
		return nil
	}
	if there.Changer = target.changer(); there.Changer == nil {
		return nil
	}
	var err error
	there.State, err = there.Changer.State(ctx)
	return err
}

// look finds out anew what a cluster is that a journey has changed.
func (r *runner) look(ctx context.Context, target cluster, there suite.Situation) (suite.Situation, error) {
	described, err := report.Describe(ctx, r.client)
	if err != nil {
		return there, err
	}
	target.describe(&described)
	if there.State, err = there.Changer.State(ctx); err != nil {
		return there, err
	}
	known := features.Known{Gates: described.Gates, SharingAffinity: features.Presence{Source: "only the bundled scheduler has it"}}
	if now, ok := there.State.Of(change.Instance{Component: change.Scheduler}); ok && now.Scheduler == kind.DraconformScheduler {
		known.SharingAffinity = features.Presence{Present: true, Source: "the cluster's scheduler is the bundled one by now"}
	}
	there.Found, err = features.Detect(ctx, r.client, known, r.overrides)
	there.Release, there.Workers = described.Release(), described.Workers
	return there, err
}
