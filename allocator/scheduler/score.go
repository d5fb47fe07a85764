// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/helper"

	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/variant"
)

// Score prefers nodes that serve requests with earlier alternatives of their prioritized lists (KEP-4816). Each
// request counts 8 for the first alternative, 7 for the second, and so on. Among nodes with equal scores it prefers
// those whose devices are already locked to the values of the claims over those with clean devices (KEP-5981).
func (p *Plugin) Score(_ context.Context, state fwk.CycleState, _ *corev1.Pod, nodeInfo fwk.NodeInfo) (int64, *fwk.Status) {
	a, err := readAttempt(state)
	if err != nil {
		return 0, fwk.AsStatus(err)
	}
	if a == nil {
		return 0, nil
	}
	todo := a.planFor(nodeInfo.Node().Name)
	if todo == nil || len(todo.allocations) == 0 {
		return 0, nil
	}
	var score, joined int64
	for i := range todo.allocations {
		if fault.ScoresLastClaimOnly {
			score = 0
		}
		score += preference(todo.claims[i], &todo.allocations[i])
		joined += a.joined(&todo.allocations[i])
	}
	for _, c := range a.claims {
		if c.allocated() {
			score += preference(c.object, c.object.Status.Allocation)
		}
	}
	if a.affinity {
		const most = resourceapi.AllocationResultsMaxSize
		score = score*(most+1) + min(joined, most)
	}
	return withPods(score, len(nodeInfo.GetPods())), nil
}

// withPods returns a score that variants of the scheduler use: nodes with the same
// score have one that depends on the number of their pods.
func withPods(score int64, pods int) int64 {
	const most = 127
	number := min(int64(pods), most)
	switch {
	case variant.PacksPods:
		return score*(most+1) + number
	case variant.SpreadsPods:
		return score*(most+1) + most - number
	}
	return score
}

// ScoreExtensions implements the framework's interface.
func (p *Plugin) ScoreExtensions() fwk.ScoreExtensions { return p }

// NormalizeScore scales the scores to the framework's range.
func (p *Plugin) NormalizeScore(_ context.Context, _ fwk.CycleState, _ *corev1.Pod, scores fwk.NodeScoreList) *fwk.Status {
	return helper.DefaultNormalizeScore(fwk.MaxScore, false, scores)
}

func preference(claim *resourceapi.ResourceClaim, allocation *resourceapi.AllocationResult) int64 {
	chosen := map[string]bool{}
	for i := range allocation.Devices.Results {
		chosen[allocation.Devices.Results[i].Request] = true
	}
	var score int64
	for _, request := range claim.Spec.Devices.Requests {
		for i, sub := range request.FirstAvailable {
			if chosen[resourceclaim.CreateSubRequestRef(request.Name, sub.Name)] {
				score += int64(resourceapi.FirstAvailableDeviceRequestMaxSize - i)
			}
		}
	}
	return score
}
