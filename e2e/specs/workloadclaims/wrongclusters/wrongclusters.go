// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// workload-claims must detect.
package wrongclusters

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// All are clusters with faults, and the specs that must detect them.
var All = wrong.Table{
	"claims are created for the pods of a group": {
		Options: wrong.With(fakecluster.ControllerMistakes{IgnoresPodGroups: true}), Spec: "pod-group-claim-is-generated",
		Want: []string{"the status of the pod group should name the claim for its entry shared"},
	},
	"pods of groups are not evicted": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			e.Pods = slices.DeleteFunc(e.Pods, func(pod *corev1.Pod) bool { return pod.Spec.SchedulingGroup != nil })
		}),
		Spec: "pod-group-claim-evicts-members", Want: []string{"pods first, second should be evicted, because the device of the claim of their group has a taint of the effect NoExecute"},
	},
	"claims of groups have no owner": {
		Options: mismakes(func(claim *resourceapi.ResourceClaim) { claim.OwnerReferences = nil }), Spec: "pod-group-claim-is-generated",
		Want: []string{"should have a controller"},
	},
	"claims of groups belong to another group": {
		Options: wrong.With(fakecluster.ControllerMistakes{
			MismakesGroupClaims: func(claim *resourceapi.ResourceClaim) { claim.OwnerReferences[0].UID = "other" },
			// The garbage collector would delete a claim whose owner does not exist, before or after the spec reads it.
			KeepsOrphans: true,
		}), Spec: "pod-group-claim-is-generated",
		Want: []string{"the controller of claim", "should be the pod group"},
	},
	"claims of groups do not name their entry": {
		Options: mismakes(func(claim *resourceapi.ResourceClaim) { claim.Annotations = nil }), Spec: "pod-group-claim-is-generated",
		Want: []string{"should name the entry"},
	},
	"claims of groups outlive them": {
		Options: wrong.With(fakecluster.ControllerMistakes{KeepsOrphans: true}), Spec: "pod-group-claim-is-generated",
		Want: []string{"should be removed, because its pod group is deleted"},
	},
	"claims of groups are deleted with their pods": {
		Options: wrong.With(fakecluster.ControllerMistakes{FreesClaimsOfGroups: true}), Spec: "pod-group-claim-is-generated",
		Want: []string{"should stay, because the pod group exists", "is deleted"},
	},
	"each pod of a group gets devices": {
		Options: wrong.With(fakecluster.ControllerMistakes{IgnoresPodGroups: true}), Spec: "pod-group-claim-is-shared",
		Want: []string{"pod second is not scheduled"},
	},
	"scheduler ignores on which node a group has its device": {
		Options: wrong.Misreads(forgetsNodesOfClaims()), Spec: "pod-group-claim-is-shared",
		Want: []string{"should run on a node that has its devices", "card is on node"},
	},
	"scheduler schedules the pods of groups one by one": {
		Options: wrong.With(fakecluster.SchedulerMistakes{SplitsGangs: true}), Spec: "pod-group-waits-for-all-devices",
		Want: []string{"should stay pending, because there is one device for the two pods of the group"},
	},
	"scheduler keeps devices for groups in vain": {
		Options: wrong.Misreads(keepsFirstDevice()), Spec: "pod-group-waits-for-all-devices",
		Want: []string{"pod first is not scheduled"},
	},
	"scheduler reserves claims of groups for pods": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ReservesForPods: true}), Spec: "pod-group-claim-is-shared",
		Want: []string{"should be reserved for these, because it is a claim of the pod group", "pods/first"},
	},
	"entries are compared by their names": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ComparesEntryNamesOnly: true}), Spec: "pod-group-claim-needs-same-entry",
		Want: []string{"claim made should be reserved for these, because the entry of its pod is for another claim"},
	},
	"no entry is that of the group": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ReservesForPods: true}), Spec: "pod-group-claim-needs-same-entry",
		Want: []string{"because the entry of its pod is that of the pod group"},
	},
	"claims of groups are freed with their pods": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ReservesForPods: true}), Spec: "pod-group-claim-outlives-pods",
		Want: []string{"pod waiting should be unschedulable, because the claim of the pod group has the device"},
	},
	"scheduler counts the pods of groups as consumers": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ReservesForPods: true}), Spec: "pod-group-claim-has-many-pods",
		Want: []string{"pod member-", "is not scheduled", "cannot allocate all claims"},
	},
	"scheduler keeps claims of groups without pods on their node": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsUnusable: true}), Spec: "pod-group-claim-follows-pods",
		Want: []string{"pod late is not scheduled"},
	},
	"scheduler moves claims of groups whose pods use them": {
		Options: wrong.With(fakecluster.SchedulerMistakes{MovesUsed: true}), Spec: "pod-group-claim-follows-pods",
		Want: []string{"pod early should stay pending, because the claim of its group has a device of the other node"},
	},
	"API server accepts any claims of groups": {
		Spec: "pod-group-claims-are-validated", Want: []string{"five claims: is accepted", "the same name twice: is accepted", "neither a claim nor a template: is accepted"},
	},
	"API server changes the claims of groups": {
		Spec: "pod-group-claims-do-not-change", Want: []string{"the API server should reject one more claim of a pod group because of spec.resourceClaims: <nil>"},
	},
	"scheduler reserves claims that groups name for pods": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ReservesNamedForPods: true}), Spec: "pod-group-uses-named-claim",
		Want: []string{"claim made should be reserved for these, because the pod group names it"},
	},
	"claims are created for the first entry of groups": {
		Options: wrong.With(fakecluster.ControllerMistakes{MakesFirstClaimOfGroups: true}), Spec: "pod-group-has-several-claims",
		Want: []string{"pod pod-of-group is not scheduled"},
	},
	"claims that groups name are deallocated with their pods": {
		Options: wrong.With(fakecluster.ControllerMistakes{FreesClaimsOfGroups: true}), Spec: "pod-group-uses-named-claim",
		Want: []string{"pod waiting should be unschedulable, because the claim of the pod group has the device"},
	},
	"devices of deleted groups are not free": {
		Options: wrong.Misreads(wrong.KeepReleasedClaims()), Spec: "pod-group-claim-outlives-pods",
		Want: []string{"pod waiting is not scheduled"},
	},
}

// mismakes returns the options of a cluster in which claims of PodGroups are
// created with changes.
func mismakes(change func(*resourceapi.ResourceClaim)) fakecluster.Options {
	return wrong.With(fakecluster.ControllerMistakes{MismakesGroupClaims: change})
}

// forgetsNodesOfClaims makes the scheduler consider the nodes that suit a pod before its claim
// is allocated for all later pods, too.
func forgetsNodesOfClaims() func(*fakecluster.Scene) {
	var before []*corev1.Node
	return func(s *fakecluster.Scene) {
		if len(s.Claims) > 0 {
			before = s.Nodes
		} else if len(before) > 0 {
			s.Nodes = before
		}
	}
}

// keepsFirstDevice makes the scheduler take the device of the first slice that has only the
// device card for allocated, from the first attempt to schedule a pod of a group on.
func keepsFirstDevice() func(*fakecluster.Scene) {
	var first string
	return func(s *fakecluster.Scene) {
		for _, slice := range s.Objects.Slices {
			if s.Pod.Spec.SchedulingGroup == nil || len(slice.Spec.Devices) != 1 || slice.Spec.Devices[0].Name != "card" {
				continue
			}
			if first == "" {
				first = slice.Name
			}
			if slice.Name == first {
				slice.Spec.Devices = nil
			}
		}
	}
}
