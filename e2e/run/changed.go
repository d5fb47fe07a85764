// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// prepareJourneys adds what journeys need to the target, if there are any.
func (r *runner) prepareJourneys(ctx context.Context, cl cluster, target *env.Target) error {
	// In a cluster with other workloads, nothing that they use is changed.
	if r.guest() || !slices.ContainsFunc(r.specs, func(s suite.Spec) bool { return s.Journey != nil }) {
		return nil
	}
	if target.Changer = cl.changer(); target.Changer == nil {
		return nil
	}
	var err error
	target.State, err = target.Changer.State(ctx)
	return err
}

// reinspect detects the properties of a cluster after a journey has changed
// it.
func (r *runner) reinspect(ctx context.Context, cl cluster, target env.Target) (env.Target, error) {
	described, err := report.Describe(ctx, r.client)
	if err != nil {
		return target, err
	}
	cl.describe(&described)
	if target.State, err = target.Changer.State(ctx); err != nil {
		return target, err
	}
	scheduler, _ := target.State.Of(skew.Instance{Component: skew.Scheduler})
	affinity := features.Presence{Source: "only the bundled scheduler supports it"}
	if scheduler.Scheduler == skew.DraconformScheduler {
		affinity = features.Presence{Present: true, Source: "the cluster's scheduler is the bundled one"}
	}
	found, err := features.Detect(ctx, r.client, r.known(described, affinity), r.overrides)
	if err != nil {
		return target, err
	}
	target.Found = supportedByScheduler(found, scheduler)
	target.Workers = described.Workers
	target.Release, target.Scheduler, target.Kubelet = described.Release(), r.scheduler(described), described.Oldest("kubelet")
	return target, nil
}

// supportedByScheduler removes the features that only the API server supports.
// If releases or gates differ, the scheduler may not support fields that the
// API server keeps.
func supportedByScheduler(found features.Set, scheduler skew.Running) features.Set {
	both := maps.Clone(found)
	for feature, presence := range found {
		gate := feature.Gate()
		if on, known := scheduler.Gates.Enabled(gate); presence.Present && gate != "" && (!known || !on) {
			both[feature] = features.Presence{Source: fmt.Sprintf("the scheduler of %s has the feature gate %s disabled", scheduler.Release, gate)}
		}
	}
	return both
}
