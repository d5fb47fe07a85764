// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongCounters are clusters with faults of the counters that shares consume.
var wrongCounters = wrong.Table{
	"scheduler consumes counters for each share": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			more := wrong.CountAllocations(s, "shared")
			for _, slice := range s.Objects.Slices {
				for _, set := range slice.Spec.SharedCounters {
					left := set.Counters["memory"].Value
					left.Set(left.Value() - max(more-1, 0)<<30)
					set.Counters["memory"] = resourceapi.Counter{Value: left}
				}
			}
		}),
		Spec: "shared-device-consumes-counters-once",
		Want: []string{"while waiting until pod quarter is scheduled"},
	},
	"scheduler returns counters with the first share": {
		Options: wrong.Misreads(func() func(*fakecluster.Scene) {
			var most int64
			return func(s *fakecluster.Scene) {
				most = max(most, wrong.CountAllocations(s, "shared"))
				if most == 3 && wrong.CountAllocations(s, "shared") < 3 {
					s.Objects.Claims = nil
				}
			}
		}()),
		Spec: "shared-device-consumes-counters-once",
		Want: []string{"pod half should be unschedulable, because claim a still has a share of a partition with 3Gi of 4Gi"},
	},
	"scheduler forgets the counters of shares without capacity": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool {
				return len(c.Status.Allocation.Devices.Results[0].ConsumedCapacity) == 0 && c.Name == "open"
			})
		}),
		Spec: "shared-device-consumes-counters-once",
		Want: []string{"pod late should be unschedulable, because claim open has a share of a partition with 3Gi of 4Gi"},
	},
	"scheduler forgets the counters of shares while pods compete": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool { return strings.HasPrefix(c.Name, "open-") })
		}),
		Spec: "shares-compete-for-counters", Want: []string{"is overdrawn"},
	},
	"scheduler consumes counters for each share of a pod": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "two-requests" {
				s.Objects.Slices = nil
			}
		}),
		Spec: "shared-device-counters-of-one-pod",
		Want: []string{"while waiting until pod two-requests is scheduled"},
	},
	"scheduler forgets the counters of a share that it tried": {
		Options: wrong.Misreads(wrong.IgnoreCounters("")),
		Spec:    "shared-device-counters-of-one-pod",
		Want:    []string{"pod in-vain should be unschedulable, because the shared partition and the half need more than their parent has"},
	},
}
