// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/metrics"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// partitionWaitingPodsAreCounted lets a pod use up the counters of a GPU, so that
// another pod waits for a partition, and then deletes the first one. It compares the
// metric of pending pods with the pods of the cluster, while no other specs run.
var partitionWaitingPodsAreCounted = suite.Spec{
	ID:           "partition-waiting-pods-are-counted",
	Description:  "A pod that waits for a partition is counted by the metric scheduler_pending_pods as unschedulable until it is scheduled.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     partitionFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes, env.NeedsMetrics},
	Requirements: []string{"4815-metric-of-pending-pods"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, a100s(sim.Names[0], 1))
		whole := []devices.Request{{Name: "device", Device: deviceAt(sim, "whole")}}
		waiting := metrics.Series{Component: env.Scheduler, Metric: "scheduler_pending_pods", Labels: map[string]string{"queue": "unschedulable"}}
		unschedulable := func(ctx context.Context) (float64, error) { return countUnschedulable(ctx, e) }
		pods.CreateWithRequests(ctx, e, "holder", whole)
		pods.WaitForScheduled(ctx, e, "holder")
		pods.CreateWithRequests(ctx, e, "waiting", fixture.AnyDevice(sim))
		pods.WaitForUnschedulable(ctx, e, "waiting", "claim holder uses up the counters of the GPU")
		waiting.WaitFor(ctx, e, "a pod waits for a partition", unschedulable)
		pods.DeleteWithClaim(ctx, e, "holder")
		pods.WaitForScheduled(ctx, e, "waiting")
		waiting.WaitFor(ctx, e, "the pod has got its partition", unschedulable)
	},
}

// countUnschedulable returns the number of pods of the cluster that a scheduler has
// found unschedulable.
func countUnschedulable(ctx context.Context, e *env.Env) (float64, error) {
	all, err := e.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return 0, err
	}
	n := 0.0
	for i := range all.Items {
		pod := &all.Items[i]
		if scheduled := pods.Condition(pod, corev1.PodScheduled); pod.Spec.NodeName == "" && scheduled != nil && scheduled.Reason == corev1.PodReasonUnschedulable {
			n++
		}
	}
	return n, nil
}
