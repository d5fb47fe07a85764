// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongClaims are clusters whose scheduler makes mistakes with pods that have
// several claims, or claims for devices of several drivers.
var wrongClaims = wrong.Table{
	"failed pods of jobs hold their devices": {
		Options: wrong.With(fakecluster.ControllerMistakes{HoldsForCompleted: true}), Spec: "job-retries-get-devices",
		Want: []string{"pod job-1 is not scheduled"},
	},
	"claims of jobs are never deleted": {
		Options: wrong.With(fakecluster.ControllerMistakes{KeepsOrphans: true}), Spec: "job-retries-get-devices",
		Want: []string{"should be removed, because its pod has failed"},
	},
	"claims of jobs are deleted with the pods only": {
		Options: wrong.With(fakecluster.ControllerMistakes{KeepsClaimsOfCompleted: true}), Spec: "job-retries-get-devices",
		Want: []string{"should be removed, because its pod has failed"},
	},
	"device of a job is given to the next pod while it is in use": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ForgetsClaims: true}), Spec: "job-retries-get-devices",
		Want: []string{"pod waiting should be unschedulable, because the second pod of the job has its device"},
	},
	"scheduler allocates the same device for each claim of a pod": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Miswrites: func(_ *fakecluster.Scene, results []resourceapi.AllocationResult) {
			for i := range results {
				results[i] = results[0]
			}
		}}),
		Spec: "claims-of-a-pod-share-a-node", Want: []string{"is allocated 2 times"},
	},
	"scheduler allocates some claims of a pod": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) { s.Claims = s.Claims[:min(1, len(s.Claims))] }), Spec: "claims-of-a-pod-share-a-node",
		Want: []string{"pod three should be unschedulable, because no node has three devices"},
	},
	"scheduler ignores the driver of later claims": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				if s.Pod.Name == "second" && strings.Contains(slice.Spec.Driver, ".second.") {
					slice.Spec.NodeName, slice.Spec.AllNodes = nil, &yes
				}
			}
		}),
		Spec: "claims-of-several-drivers", Want: []string{"pod second should be unschedulable, because no other node has devices of both drivers"},
	},
	"scheduler serves one driver only": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			for _, slice := range s.Objects.Slices {
				if strings.Contains(slice.Spec.Driver, ".second.") {
					slice.Spec.Devices = nil
				}
			}
		}),
		Spec: "claims-of-several-drivers", Want: []string{"pod first is not scheduled"},
	},
	"scheduler applies constraints to the first request only": {
		Options: wrong.MisreadsClaims(func(c *resourceapi.DeviceClaim) {
			for i := range c.Constraints {
				c.Constraints[i].Requests = c.Constraints[i].Requests[:1]
			}
		}),
		Spec: "drivers-match-pcie-root", Want: []string{"pod second should be unschedulable, because the card and the interface that are left have different PCIe roots"},
	},
	"scheduler finds standard attributes in the domain of the driver only": {
		Options: misreadsNames(func(_, name string) bool { return !strings.HasPrefix(name, "resource.kubernetes.io/") }), Spec: "drivers-match-pcie-root",
		Want: []string{"pod first is not scheduled"},
	},
}

var yes = true
