// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator"
)

const subsystem = "draconform_scheduler"

// The results of a search.
const (
	resultFit       = "fit"
	resultNoFit     = "no_fit"
	resultSteps     = "out_of_steps"
	resultTime      = "out_of_time"
	resultStopped   = "stopped" // The scheduler has enough nodes.
	resultNodeError = "node_error"
	resultError     = "error"
)

var (
	searchDuration = metrics.NewHistogramVec(&metrics.HistogramOpts{
		Subsystem:      subsystem,
		Name:           "search_duration_seconds",
		Help:           "Duration of the search for the devices of a pod on one node, by result.",
		Buckets:        metrics.ExponentialBuckets(1e-6, 4, 13), // 1 us to 17 s
		StabilityLevel: metrics.ALPHA,
	}, []string{"result"})
	nodesGivenUp = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem:      subsystem,
		Name:           "nodes_given_up_total",
		Help:           "Nodes that were unschedulable for a pod because the search for devices ran out of steps or time.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"budget"})
	explanationsTotal = metrics.NewCounterVec(&metrics.CounterOpts{
		Subsystem:      subsystem,
		Name:           "explanations_total",
		Help:           "Nodes for which it was explained why a pod finds no devices, by the first kind of reason.",
		StabilityLevel: metrics.ALPHA,
	}, []string{"reason"})
)

// registerMetrics adds the metrics to those that kube-scheduler serves.
var registerMetrics = sync.OnceFunc(func() {
	legacyregistry.MustRegister(searchDuration, nodesGivenUp, explanationsTotal)
	legacyregistry.CustomMustRegister(&lockCollector{})
})

// searchResult returns the result of a search with the context searchCtx, which is
// derived from ctx.
func searchResult(ctx, searchCtx context.Context, fits bool, err error) string {
	switch {
	case err == nil && fits:
		return resultFit
	case err == nil:
		return resultNoFit
	case errors.Is(err, allocator.ErrStepsExhausted):
		return resultSteps
	case errors.Is(err, structured.ErrFailedAllocationOnNode):
		return resultNodeError
	case ctx.Err() != nil:
		return resultStopped
	case searchCtx.Err() != nil:
		return resultTime
	default:
		return resultError
	}
}

func observeSearch(start time.Time, result string) {
	searchDuration.WithLabelValues(result).Observe(time.Since(start).Seconds())
	switch result {
	case resultSteps:
		nodesGivenUp.WithLabelValues("steps").Inc()
	case resultTime:
		nodesGivenUp.WithLabelValues("time").Inc()
	}
}
