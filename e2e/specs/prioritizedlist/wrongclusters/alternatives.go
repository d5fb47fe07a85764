// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongAlternatives are clusters with faults that specs detect with the
// partitions of the driver.
var wrongAlternatives = wrong.Table{
	"scheduler tries the last alternative first": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{PrefersLast: true}), Spec: "prioritized-list-takes-first",
		Want: []string{"the devices of claim larger should be for [list/whole], because both alternatives fit and the whole device is preferred", "list/small"},
	},
	"scheduler tries alternatives by their names": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{SortsAlternatives: true}), Spec: "prioritized-list-takes-first",
		Want: []string{"the devices of claim larger should be for [list/whole]", "list/small"},
	},
	"scheduler results name requests without alternatives": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{NamesRequests: true}), Spec: "prioritized-list-takes-first",
		Want: []string{"the allocation of claim larger should satisfy its requests", "request list has no devices for any of its alternatives", "is for request list, which the claim does not have"},
	},
	"scheduler tries only the first alternative": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{NeverFallsBack: true}), Spec: "prioritized-list-falls-back",
		Want: []string{"while waiting until pod list runs", "pod list is Pending: PodScheduled: 0/1 nodes are available"},
	},
	"scheduler results name the first alternative": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{NamesFirst: true}), Spec: "prioritized-list-falls-back",
		Want: []string{"request list/whole has device mig.example.com/node-1/gpu-0-mig-1g-5gb-1, which its selector does not accept"},
	},
	"scheduler ignores counters, first alternative": {
		Options: wrong.With(fakecluster.SchedulerMistakes{IgnoresCounters: true}), Spec: "prioritized-list-falls-back",
		Want: []string{"allocations in the cluster should be valid", "is overdrawn"},
	},
	"scheduler ignores the counts of alternatives": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{IgnoresCounts: true}), Spec: "prioritized-list-counts-each-alternative",
		Want: []string{"request list/whole has 1 devices, not 2"},
	},
	"scheduler tries one alternative, which has too few devices": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{NeverFallsBack: true}), Spec: "prioritized-list-counts-each-alternative",
		Want: []string{"while waiting until pod list runs", "cannot allocate all claims"},
	},
	"scheduler ignores the constraint of a request with alternatives": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{ConstrainsRequestsOnly: true}), Spec: "prioritized-list-constraint-by-request",
		Want: []string{"the allocation of claim bound should satisfy its requests", "differ in the attribute mig.example.com/profile"},
	},
	"scheduler ignores the constraint of an alternative": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{ConstrainsNoAlternative: true}), Spec: "prioritized-list-constraint-by-subrequest",
		Want: []string{"the allocation of claim list should satisfy its requests", "differ in the attribute mig.example.com/profile"},
	},
	"scheduler applies the constraint of one alternative to all": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{ConstrainsAllAlternatives: true}), Spec: "prioritized-list-constraint-by-subrequest",
		Want: []string{"while waiting until pod list runs", "cannot allocate all claims"},
	},
	"scheduler prefers the alternatives of later requests": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{PrefersLater: true}), Spec: "prioritized-list-earlier-request-decides",
		Want: []string{"the devices of claim keeps should be for [first/big second/big], because a constraint demands one profile", "first/small"},
	},
	"scheduler does not backtrack from an alternative": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{NeverYields: true}), Spec: "prioritized-list-earlier-request-decides",
		Want: []string{"while waiting until pod yields runs", "cannot allocate all claims"},
	},
	"scheduler does not backtrack from an alternative that violates the constraint of its request": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{NeverYields: true}), Spec: "prioritized-list-constraint-by-request",
		Want: []string{"while waiting until pod before runs", "cannot allocate all claims"},
	},
	"scheduler does not backtrack from an alternative that violates its own constraint": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{NeverYields: true}), Spec: "prioritized-list-constraint-by-subrequest",
		Want: []string{"while waiting until pod before runs", "cannot allocate all claims"},
	},
	"scheduler minimizes the sum of ranks": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{SumsRanks: true}), Spec: "prioritized-list-earlier-request-decides",
		Want: []string{"the devices of claim keeps should be for [first/big second/big], because a constraint demands one profile", "first/small"},
	},
	"scheduler loses configuration of alternatives": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{LosesScopedConfig: true}), Spec: "prioritized-list-configures-what-was-taken",
		Want: []string{"the allocated subrequest should have the configuration of the claim"},
	},
	"scheduler stores configuration of other alternatives": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{KeepsAllConfig: true}), Spec: "prioritized-list-configures-what-was-taken",
		Want: []string{"the configuration for list/whole only should be left out"},
	},
	"scheduler applies configuration to all requests": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{WidensConfig: true}), Spec: "prioritized-list-configures-what-was-taken",
		Want: []string{"the allocated subrequest should have the configuration of the claim"},
	},
	"scheduler loses configuration of classes": {
		Options: wrong.With(fakecluster.SchedulerMistakes{LosesClassConfig: true}), Spec: "prioritized-list-configures-by-class-taken",
		Want: []string{"the allocated subrequest should have the configuration of its class"},
	},
	"scheduler stores configuration of the classes of other alternatives": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{KeepsAllConfig: true}), Spec: "prioritized-list-configures-by-class-taken",
		Want: []string{"a subrequest that was not allocated should have no configuration", "whole"},
	},
	"scheduler applies configuration of classes to all requests": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{WidensConfig: true}), Spec: "prioritized-list-configures-by-class-taken",
		Want: []string{"the class of the other request has no configuration, and that of the list applies to the list only", "small"},
	},
	"scheduler ignores counters, no alternative fits": {
		Options: wrong.With(fakecluster.SchedulerMistakes{IgnoresCounters: true}), Spec: "prioritized-list-waits-until-one-fits",
		Want: []string{"pod late should be unschedulable, because claim full leaves room for none of its alternatives", "claim late was allocated [mig.example.com/node-1/gpu-0]"},
	},
	"scheduler does not return counters to alternatives": {
		Options: wrong.With(fakecluster.SchedulerMistakes{KeepsCounters: true}), Spec: "prioritized-list-waits-until-one-fits",
		Want: []string{"while waiting until pod late runs", "pod late is Pending: PodScheduled: 0/1 nodes are available"},
	},
	"scheduler does not return devices to alternatives": {
		Options: wrong.Misreads(wrong.KeepReleasedClaims()), Spec: "prioritized-list-released-lets-pods-in",
		Want: []string{"pod waiting is not scheduled"},
	},
	"scheduler allocates a later alternative": {
		Options: wrong.With(fakecluster.PrioritizedListMistakes{PrefersLast: true}), Spec: "prioritized-list-waits-until-one-fits",
		Want: []string{"the devices of claim late should be for [list/whole], because all of it fits again"},
	},
	"scheduler does not report why no alternative fits": {
		Options: wrong.With(fakecluster.SchedulerMistakes{NeverReports: true}), Spec: "prioritized-list-waits-until-one-fits",
		Want: []string{"pod late is not reported as unschedulable"},
	},
}
