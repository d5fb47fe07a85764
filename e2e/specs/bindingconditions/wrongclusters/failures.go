// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"maps"
	"slices"
	"strings"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongFailures are clusters whose scheduler handles failed devices incorrectly.
var wrongFailures = wrong.Table{
	"scheduler counts failures as successes": {
		Options: wrong.With(fakecluster.MetricsMistakes{Mismeasures: func(text string) string {
			return strings.ReplaceAll(text, `status="failure"`, `status="success"`)
		}}),
		Spec: "binding-outcomes-are-counted", Want: []string{"scheduler_dra_bindingconditions_allocations_total", "should be at least 1, and is 0", "the device has failed once"},
	},
	"scheduler counts no successes": {
		Options: wrong.With(fakecluster.MetricsMistakes{Mismeasures: func(text string) string {
			return strings.ReplaceAll(text, `status="success"`, `status="error"`)
		}}),
		Spec: "binding-outcomes-are-counted", Want: []string{"should be at least 1, and is 0", "the device has become ready"},
	},
	"scheduler counts successes as failures, too": {
		Options: wrong.With(fakecluster.MetricsMistakes{Mismeasures: func(text string) string {
			if !strings.Contains(text, `status="success"`) {
				return text
			}
			return strings.ReplaceAll(text, `status="failure"} 1`, `status="failure"} 2`)
		}}),
		Spec: "binding-outcomes-are-counted", Want: []string{"should be 1, and is 2", "the device has not failed again"},
	},
	"scheduler binds pods with failed devices": {
		Options: misreadsResults(ignoreFailures), Spec: "binding-failure-clears-allocation",
		Want: []string{"claim pair should be allocated, because one of its devices has failed", "claim pair is still allocated"},
	},
	"scheduler reads the failure of the first device": {
		Options: misreads(func(r *fakecluster.Readiness) {
			eachResult(r, func(one *result) {
				if one.Device != "card" {
					ignoreFailures(one)
				}
			})
		}),
		Spec: "binding-failure-clears-allocation", Want: []string{"claim pair is still allocated"},
	},
	"scheduler reads the failures of the first claim": {
		Options: misreads(func(r *fakecluster.Readiness) {
			if r.Claim.Name == "third-1" {
				eachResult(r, ignoreFailures)
			}
		}),
		Spec: "binding-waits-for-all-claims", Want: []string{"pod third was bound to node", "claim third-1 should be allocated again, because its device has failed"},
	},
	"scheduler reads no failures of devices for extended resources": {
		Options: misreads(func(r *fakecluster.Readiness) {
			if r.Claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true" {
				eachResult(r, ignoreFailures)
			}
		}),
		Spec: "binding-failure-of-extended-resources", Want: []string{"pod pod should get a device for its extended resource anew"},
	},
	"scheduler reads the first failure condition": {
		Options: misreadsResults(func(r *result) {
			r.BindingFailureConditions = r.BindingFailureConditions[:min(1, len(r.BindingFailureConditions))]
		}),
		Spec: "binding-failure-clears-allocation", Want: []string{"claim pair is still allocated"},
	},
	"devices that are ready cannot fail": {
		Options: misreads(func(r *fakecluster.Readiness) {
			eachStatus(r, func(s *status) {
				if len(s.Conditions) > 2 {
					s.Conditions = slices.DeleteFunc(s.Conditions, func(c metav1.Condition) bool { return c.Type == "draconform.dev/attaching-failed" })
				}
			})
		}),
		Spec: "binding-failure-clears-allocation", Want: []string{"claim pair is still allocated"},
	},
	"scheduler keeps allocations with failed devices": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsFailed: true}), Spec: "binding-failure-clears-allocation",
		Want: []string{"claim pair is still allocated"},
	},
	"scheduler keeps allocations with failed devices for which several pods wait": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsFailedShared: true}), Spec: "binding-failure-of-shared-claim",
		Want: []string{"claim first should be allocated again, because its device has failed"},
	},
	"an earlier failure counts for the next attempt": {
		Options: misreads(rememberReadiness()), Spec: "binding-failure-clears-allocation",
		Want: []string{"pod pair should wait, because its devices were allocated again and are not ready"},
	},
	"scheduler waits for devices forever": {
		Options: wrong.With(fakecluster.SchedulerMistakes{WaitsForever: true}), Spec: "binding-overdue-clears-allocation",
		Want: []string{"claim overdue should be allocated anew, because its device was not ready in time"},
	},
	"scheduler gives up devices of old allocations": {
		Options: misreads(func(r *fakecluster.Readiness) {
			if r.Claim.Name == "old" {
				r.Claim.Status.Devices = nil
			}
		}),
		Spec: "binding-overdue-clears-allocation", Want: []string{"pod user is not scheduled"},
	},
	"scheduler does not wait for devices of earlier allocations": {
		Options: misreads(func(r *fakecluster.Readiness) {
			if a := r.Claim.Status.Allocation; a != nil && a.AllocationTimestamp != nil && time.Since(a.AllocationTimestamp.Time) > time.Hour {
				eachResult(r, waitForNothing)
			}
		}),
		Spec: "binding-overdue-clears-allocation", Want: []string{"claim overdue should be allocated anew"},
	},
	"scheduler does not retry pods when devices become ready": {
		Options: misreads(rememberFailures()), Spec: "binding-recovery-lets-pods-in",
		Want: []string{"pod second is not scheduled"},
	},
	"scheduler schedules pods to failed devices": {
		Options: misreadsResults(ignoreFailures), Spec: "binding-recovery-lets-pods-in",
		Want: []string{"pod second should stay pending, because the device of its claim has failed"},
	},
	"scheduler stops when devices are not ready in time": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsFailed: true}), Spec: "binding-overdue-clears-allocation",
		Want: []string{"claim overdue should be allocated anew"},
	},
	"scheduler waits for failed devices": {
		Options: misreadsResults(ignoreFailures), Spec: "binding-failure-allocates-another-device",
		Want: []string{"claim pod should be allocated the device that is left, because the first one has failed"},
	},
	"scheduler allocates withdrawn devices": {
		Options: wrong.Misreads(keepSlices()), Spec: "binding-failure-allocates-another-device",
		Want: []string{"claim pod should be allocated the device that is left"},
	},
}

// rememberFailures makes the scheduler take devices for failed that have failed once.
func rememberFailures() func(*fakecluster.Readiness) {
	known := map[string][]metav1.Condition{}
	return func(r *fakecluster.Readiness) {
		eachStatus(r, func(s *status) {
			if len(s.Conditions) > 2 {
				known[s.Device] = slices.Clone(s.Conditions)
			}
			if conditions, ok := known[s.Device]; ok {
				s.Conditions = conditions
			}
		})
	}
}

func ignoreFailures(r *result) { r.BindingFailureConditions = nil }

// rememberReadiness makes the scheduler take devices for ready whose binding
// conditions were true in an earlier attempt.
func rememberReadiness() func(*fakecluster.Readiness) {
	known := map[string]bool{}
	return func(r *fakecluster.Readiness) {
		eachStatus(r, func(s *status) { known[s.Device] = true })
		if len(r.Claim.Status.Devices) == 0 {
			eachResult(r, func(one *result) {
				if known[one.Device] {
					waitForNothing(one)
				}
			})
		}
	}
}

// keepSlices makes the scheduler see the slices that were deleted.
func keepSlices() func(*fakecluster.Scene) {
	known := map[string]*resourceapi.ResourceSlice{}
	return func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			known[slice.Name] = slice
		}
		s.Objects.Slices = nil
		for _, name := range slices.Sorted(maps.Keys(known)) {
			s.Objects.Slices = append(s.Objects.Slices, known[name])
		}
	}
}
