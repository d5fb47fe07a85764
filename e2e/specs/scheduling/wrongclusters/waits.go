// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongWaits are clusters whose scheduler does not observe what makes a pod
// schedulable, or unschedulable.
var wrongWaits = wrong.Table{
	"scheduler does not retry pods when classes change": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "deviceclasses"}), Spec: "class-created-lets-pods-in",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler remembers deleted classes": {
		Options: wrong.Misreads(rememberClasses()), Spec: "class-deleted-keeps-pods-waiting",
		Want: []string{"a pod like next should be pending, because the class of its claim was deleted"},
	},
	"scheduler does not retry pods when deleted classes are created again": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "deviceclasses"}), Spec: "class-deleted-keeps-pods-waiting",
		Want: []string{"is not scheduled"},
	},
	"scheduler does not retry pods when claims are created": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "resourceclaims"}), Spec: "claim-created-lets-pods-in",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler does not wait for a claim if another exists": {
		Options: wrong.With(fakecluster.SchedulerMistakes{SkipsAbsent: true}), Spec: "claim-created-lets-pods-in",
		Want: []string{"pod with-two should not be bound, because a claim that it names does not exist"},
	},
	"scheduler frees devices of deleted claims only": {
		Options: wrong.Misreads(wrong.KeepClaimsUntilDeleted()), Spec: "claim-deallocated-lets-pods-in",
		Want: []string{"pod waiting is not scheduled"},
	},
	"scheduler does not retry pods when allocated claims are removed": {
		Options: wrong.Misreads(wrong.KeepReleasedClaims()), Spec: "claim-removed-lets-pods-in",
		Want: []string{"pod waiting is not scheduled"},
	},
	"scheduler does not retry pods when claims have fewer consumers": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "resourceclaims"}), Spec: "consumer-gone-lets-pods-in",
		Want: []string{"pod waiting is not scheduled"},
	},
	"scheduler does not retry pods when slices are created": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "resourceslices"}), Spec: "slice-added-lets-pods-in",
		Want: []string{"pod card is not scheduled"},
	},
	"scheduler does not retry pods when nodes are created": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "nodes"}), Spec: "node-added-lets-pods-in",
		Want: []string{"pod pod is not scheduled"},
	},
	"scheduler does not retry pods when nodes are schedulable again": {
		Options: wrong.With(fakecluster.SchedulerMistakes{Overlooks: "nodes"}), Spec: "node-uncordoned-lets-pods-in",
		Want: []string{"is not scheduled"},
	},
}

// rememberClasses makes the scheduler see deleted classes.
func rememberClasses() func(*fakecluster.Scene) {
	seen := map[string]*resourceapi.DeviceClass{}
	return func(s *fakecluster.Scene) {
		for _, class := range s.Objects.Classes {
			seen[class.Name] = class
		}
		s.Objects.Classes = slices.Collect(maps.Values(seen))
	}
}
