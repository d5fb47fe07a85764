// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"fmt"
	"strings"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/manifests"
)

// inspect detects the properties and features of the cluster.
func (r *runner) inspect(ctx context.Context, cl cluster) error {
	st := r.Progress.Task("inspect the cluster")
	described, err := report.Describe(ctx, r.client)
	if err != nil {
		return st.Fail(err)
	}
	cl.describe(&described)
	r.report.Cluster = described
	if r.report.Features, err = features.Detect(ctx, r.client, r.known(described, r.sharingAffinity()), r.overrides); err != nil {
		return st.Fail(err)
	}
	if r.report.Features[features.Core].Present {
		if r.unusablePool, err = findUnusablePool(ctx, r.client); err != nil {
			return st.Fail(err)
		}
	}
	st.Done(fmt.Sprintf("%d workers, features %v", described.Workers, r.report.Features.Names()))
	if overridden := r.report.Features.Overridden(); len(overridden) > 0 {
		r.Progress.Printf("   overridden features: %s", strings.Join(overridden, ", "))
	}
	return nil
}

// known returns the properties of a cluster that follow from its description.
func (r *runner) known(described report.Cluster, affinity features.Presence) features.Known {
	return features.Known{Gates: described.Gates, SharingAffinity: affinity, Server: described.Release(), Scheduler: r.scheduler(described), Namespace: r.Namespace}
}

// scheduler returns the release of the pods' scheduler if it is the cluster's
// own.
func (r *runner) scheduler(described report.Cluster) string {
	if r.SchedulerName != "" {
		return ""
	}
	return described.Oldest("kube-scheduler")
}

// sharingAffinity reports whether the pods' scheduler is the bundled one.
func (r *runner) sharingAffinity() features.Presence {
	switch {
	case r.SchedulerName == manifests.SchedulerName:
		return features.Presence{Present: true, Source: "the pods' scheduler is called " + r.SchedulerName}
	case r.otherScheduler():
		// Its features are not known.
	case (r.Provider != Existing || r.KindCluster != "") && r.Scheduler == skew.DraconformScheduler && r.SchedulerName == "":
		return features.Presence{Present: true, Source: "the cluster's scheduler is the bundled one"}
	}
	return features.Presence{Source: "only the bundled scheduler supports it"}
}
