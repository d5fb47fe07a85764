// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongWaits are clusters whose scheduler waits for too little or too much.
var wrongWaits = wrong.Table{
	"scheduler ignores binding conditions": {
		Options: misreadsResults(waitForNothing), Spec: "binding-waits-for-all-conditions",
		Want: []string{"pod another-condition should wait, because its device has one of two binding conditions and another condition: it was bound"},
	},
	"scheduler waits for the first condition": {
		Options: misreadsResults(func(r *result) { r.BindingConditions = r.BindingConditions[:min(1, len(r.BindingConditions))] }), Spec: "binding-waits-for-all-conditions",
		Want: []string{"pod another-condition should wait", "it was bound"},
	},
	"scheduler waits for the last condition": {
		Options: misreadsResults(func(r *result) { r.BindingConditions = r.BindingConditions[max(0, len(r.BindingConditions)-1):] }), Spec: "binding-waits-for-all-conditions",
		Want: []string{"pod second-condition should wait, because the first of two binding conditions of its device is missing: it was bound"},
	},
	"scheduler counts conditions": {
		Options: misreads(func(r *fakecluster.Readiness) {
			eachStatus(r, func(s *status) {
				for i, name := range []string{"draconform.dev/attached", "draconform.dev/configured"}[:min(2, len(s.Conditions))] {
					s.Conditions[i].Type = name
				}
			})
		}),
		Spec: "binding-waits-for-all-conditions", Want: []string{"pod another-condition should wait", "it was bound"},
	},
	"scheduler never binds": {
		Options: misreadsResults(func(r *result) {
			if len(r.BindingConditions) > 0 {
				r.BindingConditions = []string{"never"}
			}
		}),
		Spec: "binding-waits-for-all-conditions", Want: []string{"pod both-conditions is not scheduled"},
	},
	"scheduler accepts conditions of any value": {
		Options: misreads(func(r *fakecluster.Readiness) { eachCondition(r, metav1.ConditionFalse, metav1.ConditionUnknown) }), Spec: "binding-conditions-must-be-true",
		Want: []string{"should wait", "it was bound"},
	},
	"scheduler accepts unknown conditions": {
		Options: misreads(func(r *fakecluster.Readiness) { eachCondition(r, metav1.ConditionUnknown) }), Spec: "binding-conditions-must-be-true",
		Want: []string{"pod first-is-unknown should wait, because the first binding condition of its device is Unknown: it was bound"},
	},
	"scheduler takes any failure condition for a failure": {
		Options: misreads(func(r *fakecluster.Readiness) {
			eachStatus(r, func(s *status) {
				for i := range s.Conditions {
					if s.Conditions[i].Type == "draconform.dev/attaching-failed" {
						s.Conditions[i].Status = metav1.ConditionTrue
					}
				}
			})
		}),
		Spec: "binding-conditions-must-be-true", Want: []string{"pod has-not-failed is not scheduled"},
	},
	"scheduler remembers conditions that were true": {
		Options: misreads(rememberTrue()), Spec: "binding-waits-for-all-at-once",
		Want: []string{"pod one should wait, because the condition that was true is false now: it was bound"},
	},
	"scheduler remembers devices that were ready": {
		Options: misreads(rememberReady()), Spec: "binding-waits-for-all-at-once",
		Want: []string{"pod two should wait, because the device that was ready is detached now: it was bound"},
	},
	"scheduler waits for the first device": {
		Options: misreads(func(r *fakecluster.Readiness) {
			if a := r.Claim.Status.Allocation; a != nil {
				a.Devices.Results = a.Devices.Results[:1]
			}
		}),
		Spec: "binding-waits-for-all-devices", Want: []string{"should wait", "it was bound"},
	},
	"scheduler waits for one of the devices": {
		Options: misreads(func(r *fakecluster.Readiness) {
			if len(r.Claim.Status.Devices) > 0 && r.Claim.Status.Allocation != nil {
				r.Claim.Status.Allocation.Devices.Results = nil
			}
		}),
		Spec: "binding-waits-for-all-devices", Want: []string{"pod first-of-two should wait, because the second of its two devices is not ready: it was bound"},
	},
	"scheduler waits for devices without conditions": {
		Options: misreadsResults(func(r *result) {
			if len(r.BindingConditions) == 0 {
				r.BindingConditions = []string{"Ready"}
			}
		}),
		Spec: "binding-waits-for-all-devices", Want: []string{"pod all-that-have-conditions is not scheduled"},
	},
	"scheduler waits for the first claim": {
		Options: misreads(func(r *fakecluster.Readiness) {
			if r.Claim.Name == "first-1" || r.Claim.Name == "second-1" {
				eachResult(r, waitForNothing)
			}
		}),
		Spec: "binding-waits-for-all-claims", Want: []string{"pod first should wait, because the device of its second claim is not ready: it was bound"},
	},
	"scheduler waits for the last claim": {
		Options: misreads(func(r *fakecluster.Readiness) {
			if r.Claim.Name == "first-0" || r.Claim.Name == "second-0" {
				eachResult(r, waitForNothing)
			}
		}),
		Spec: "binding-waits-for-all-claims", Want: []string{"pod second should wait, because the device of its first claim is not ready: it was bound"},
	},
	"scheduler waits for claims that it has just allocated": {
		Options: misreads(func(r *fakecluster.Readiness) {
			if len(r.Claim.Status.ReservedFor) > 1 {
				eachResult(r, waitForNothing)
			}
		}),
		Spec: "binding-waits-for-shared-claim", Want: []string{"should wait, because the device of the claim is not ready: it was bound"},
	},
	"scheduler does not wait for shares": {
		Options: misreadsResults(func(r *result) {
			if r.ShareID != nil {
				r.BindingConditions = nil
			}
		}),
		Spec: "binding-waits-for-shares", Want: []string{"pod second should wait, because its device is ready for another claim only: it was bound"},
	},
	"scheduler does not wait for alternatives": {
		Options: misreadsResults(func(r *result) {
			if strings.Contains(r.Request, "/") {
				r.BindingConditions = nil
			}
		}),
		Spec: "binding-waits-for-alternatives", Want: []string{"should wait, because its device, the", "it was bound"},
	},
	"scheduler waits for the first device of each request": {
		Options: misreads(func(r *fakecluster.Readiness) {
			seen := map[string]bool{}
			eachResult(r, func(of *result) {
				if seen[of.Request] {
					waitForNothing(of)
				}
				seen[of.Request] = true
			})
		}),
		Spec: "binding-waits-for-all-devices", Want: []string{"pod one-request-first should wait, because the second of the two devices of its request is not ready: it was bound"},
	},
	"scheduler does not wait for claims that it has created": {
		Options: misreads(func(r *fakecluster.Readiness) {
			if r.Claim.Annotations[resourceapi.ExtendedResourceClaimAnnotation] == "true" {
				eachResult(r, waitForNothing)
			}
		}),
		Spec: "binding-waits-for-extended-resources", Want: []string{"pod pod should wait, because the device for its extended resource is not ready: it was bound"},
	},
	"scheduler waits for the claims of a pod, and not for the one that it created for extended resources": {
		Options: misreads(func(r *fakecluster.Readiness) {
			if strings.HasPrefix(r.Claim.Name, "with-disk-") {
				eachResult(r, waitForNothing)
			}
		}),
		Spec: "binding-waits-for-extended-resources", Want: []string{"pod with-disk should wait, because the device for its extended resource is not ready: it was bound"},
	},
	"scheduler schedules nothing while a pod waits": {
		Options: wrong.With(fakecluster.SchedulerMistakes{WaitsAlone: true}), Spec: "binding-without-conditions-does-not-wait",
		Want: []string{"pod other-device is not scheduled"},
	},
	"scheduler does not wait after a restart": {
		Options: misreads(func(r *fakecluster.Readiness) {
			if r.Restarts > 0 {
				eachResult(r, waitForNothing)
			}
		}),
		Spec: "binding-wait-outlives-scheduler-restart", Want: []string{"pod card should wait, because its device was not ready when the scheduler restarted: it was bound"},
	},
	"scheduler finds the status of devices by their names": {
		Options: misreads(func(r *fakecluster.Readiness) {
			statuses := r.Claim.Status.Devices
			eachResult(r, func(of *result) {
				for _, s := range statuses {
					if s.Device == of.Device && s.Pool != of.Pool {
						s.Driver, s.Pool = of.Driver, of.Pool
						r.Claim.Status.Devices = append(r.Claim.Status.Devices, s)
					}
				}
			})
		}),
		Spec: "binding-tells-devices-apart", Want: []string{"should wait, because one of its devices is not ready: it was bound"},
	},
	"scheduler finds the status of devices by pool and name": {
		Options: misreads(func(r *fakecluster.Readiness) {
			statuses := r.Claim.Status.Devices
			eachResult(r, func(of *result) {
				for _, s := range statuses {
					if s.Device == of.Device && s.Pool == of.Pool && s.Driver != of.Driver {
						s.Driver = of.Driver
						r.Claim.Status.Devices = append(r.Claim.Status.Devices, s)
					}
				}
			})
		}),
		Spec: "binding-tells-devices-apart", Want: []string{"should wait, because one of its devices is not ready: it was bound"},
	},
	"scheduler finds the status of no device by its pool": {
		Options: misreads(func(r *fakecluster.Readiness) { eachStatus(r, func(s *status) { s.Pool = "" }) }),
		Spec:    "binding-tells-devices-apart", Want: []string{"pod without-left is not scheduled"},
	},
}

type (
	result = resourceapi.DeviceRequestAllocationResult
	status = resourceapi.AllocatedDeviceStatus
)

func misreads(change func(*fakecluster.Readiness)) fakecluster.Options {
	return wrong.With(fakecluster.SchedulerMistakes{MisreadsReadiness: change})
}

// misreadsResults returns the options of a cluster whose scheduler reads other
// conditions than an allocation has.
func misreadsResults(change func(*result)) fakecluster.Options {
	return misreads(func(r *fakecluster.Readiness) { eachResult(r, change) })
}

func eachResult(r *fakecluster.Readiness, change func(*result)) {
	if r.Claim.Status.Allocation == nil {
		return
	}
	for i := range r.Claim.Status.Allocation.Devices.Results {
		change(&r.Claim.Status.Allocation.Devices.Results[i])
	}
}

func eachStatus(r *fakecluster.Readiness, change func(*status)) {
	for i := range r.Claim.Status.Devices {
		change(&r.Claim.Status.Devices[i])
	}
}

// eachCondition makes conditions with these values true, except failures.
func eachCondition(r *fakecluster.Readiness, values ...metav1.ConditionStatus) {
	eachStatus(r, func(s *status) {
		for i := range s.Conditions {
			if s.Conditions[i].Type != "draconform.dev/attaching-failed" && slices.Contains(values, s.Conditions[i].Status) {
				s.Conditions[i].Status = metav1.ConditionTrue
			}
		}
	})
}

// rememberTrue makes the scheduler take conditions for true that were true before.
func rememberTrue() func(*fakecluster.Readiness) {
	known := map[string]bool{}
	return func(r *fakecluster.Readiness) {
		eachStatus(r, func(s *status) {
			for i := range s.Conditions {
				id := s.Device + " " + s.Conditions[i].Type
				known[id] = known[id] || s.Conditions[i].Status == metav1.ConditionTrue
				if known[id] {
					s.Conditions[i].Status = metav1.ConditionTrue
				}
			}
		})
	}
}

// rememberReady makes the scheduler take devices for ready both of whose conditions were true
// before.
func rememberReady() func(*fakecluster.Readiness) {
	known := map[string]bool{}
	return func(r *fakecluster.Readiness) {
		eachStatus(r, func(s *status) {
			unready := slices.ContainsFunc(s.Conditions, func(c metav1.Condition) bool { return c.Status != metav1.ConditionTrue })
			known[s.Device] = known[s.Device] || len(s.Conditions) == 2 && !unready
		})
		eachResult(r, func(one *result) {
			if known[one.Device] {
				waitForNothing(one)
			}
		})
	}
}

func waitForNothing(r *result) { r.BindingConditions = nil }
