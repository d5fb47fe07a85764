package run

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// prepareJourneys adds what journeys need to the target, if there are any.
func (r *runner) prepareJourneys(ctx context.Context, target cluster, there *env.Target) error {
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

// inspectAgain detects the properties of a cluster after a journey has changed
// it.
func (r *runner) inspectAgain(ctx context.Context, target cluster, there env.Target) (env.Target, error) {
	described, err := report.Describe(ctx, r.client)
	if err != nil {
		return there, err
	}
	target.describe(&described)
	if there.State, err = there.Changer.State(ctx); err != nil {
		return there, err
	}
	scheduler, _ := there.State.Of(change.Instance{Component: change.Scheduler})
	affinity := features.Presence{Source: "only the bundled scheduler has it"}
	if scheduler.Scheduler == kind.DraconformScheduler {
		affinity = features.Presence{Present: true, Source: "the cluster's scheduler is the bundled one by now"}
	}
	found, err := features.Detect(ctx, r.client, r.known(described, affinity), r.overrides)
	if err != nil {
		return there, err
	}
	there.Found = alsoInScheduler(found, scheduler)
	there.Workers = described.Workers
	there.Release, there.Scheduler, there.Kubelet = described.Release(), r.scheduler(described), described.Oldest("kubelet")
	return there, nil
}

// alsoInScheduler removes the features that only the API server supports. If
// releases or gates differ, the scheduler may not support fields that the API
// server keeps.
func alsoInScheduler(found features.Set, scheduler change.Running) features.Set {
	both := maps.Clone(found)
	for feature, presence := range found {
		gate := feature.Gate()
		if on, known := scheduler.Gates.Enabled(gate); presence.Present && gate != "" && (!known || !on) {
			both[feature] = features.Presence{Source: fmt.Sprintf("the scheduler of %s has the feature gate %s off", scheduler.Release, gate)}
		}
	}
	return both
}
