// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrong

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
)

// KeepsDevicesOfUnbound returns the options of a cluster whose scheduler treats the devices that
// it chose for one of the claims of the pod failing as allocated when it has not bound that
// pod.
func KeepsDevicesOfUnbound(claim int) fakecluster.Options {
	var kept *resourceapi.ResourceClaim
	return With(fakecluster.SchedulerMistakes{
		Misreads: func(s *fakecluster.Scene) {
			if kept != nil && s.Pod.Name != "failing" {
				s.Objects.Claims = append(s.Objects.Claims, kept)
			}
		},
		Miswrites: func(s *fakecluster.Scene, results []resourceapi.AllocationResult) {
			if s.Pod.Name == "failing" && kept == nil {
				kept = s.Claims[claim].DeepCopy()
				kept.Status.Allocation = &results[claim]
			}
		},
	})
}
