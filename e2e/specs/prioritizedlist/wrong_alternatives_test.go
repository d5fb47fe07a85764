package prioritizedlist_test

import (
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongAlternatives are clusters with faults that specs detect with the
// partitions of the driver.
var wrongAlternatives = wrong.Table{
	"scheduler tries the last alternative first": {
		Options: wrong.With(fakecluster.Mistakes{PrefersLast: true}), Spec: "prioritized-list-takes-first",
		Want: []string{"the devices of claim larger should be for [list/whole], because both alternatives fit and the whole device is preferred", "list/small"},
	},
	"scheduler tries alternatives by their names": {
		Options: wrong.With(fakecluster.Mistakes{SortsAlternatives: true}), Spec: "prioritized-list-takes-first",
		Want: []string{"the devices of claim larger should be for [list/whole]", "list/small"},
	},
	"scheduler results name requests without alternatives": {
		Options: wrong.With(fakecluster.Mistakes{NamesRequests: true}), Spec: "prioritized-list-takes-first",
		Want: []string{"claim larger should have what its requests", "request list has no devices for any of its alternatives", "is for request list, which the claim does not have"},
	},
	"scheduler tries the first alternative alone": {
		Options: wrong.With(fakecluster.Mistakes{NeverFallsBack: true}), Spec: "prioritized-list-falls-back",
		Want: []string{"while waiting until pod list runs", "pod list is Pending: PodScheduled: 0/1 nodes are available"},
	},
	"scheduler results name the first alternative": {
		Options: wrong.With(fakecluster.Mistakes{NamesFirst: true}), Spec: "prioritized-list-falls-back",
		Want: []string{"request list/whole has device mig.example.com/node-1/gpu-0-mig-1g-5gb-1, which its selector does not accept"},
	},
	"scheduler ignores counters, first alternative": {
		Options: wrong.With(fakecluster.Mistakes{IgnoresCounters: true}), Spec: "prioritized-list-falls-back",
		Want: []string{"allocations in the cluster should agree with what its slices offer", "is overdrawn"},
	},
	"scheduler ignores how many devices an alternative wants": {
		Options: wrong.With(fakecluster.Mistakes{IgnoresCounts: true}), Spec: "prioritized-list-counts-each-alternative",
		Want: []string{"request list/whole has 1 devices, not 2"},
	},
	"scheduler tries one alternative, which has too few devices": {
		Options: wrong.With(fakecluster.Mistakes{NeverFallsBack: true}), Spec: "prioritized-list-counts-each-alternative",
		Want: []string{"while waiting until pod list runs", "cannot allocate all claims"},
	},
	"scheduler does not hold alternatives to a constraint of their request": {
		Options: wrong.With(fakecluster.Mistakes{ConstrainsRequestsOnly: true}), Spec: "prioritized-list-constraint-by-request",
		Want: []string{"claim bound should have what its requests and constraints ask for", "differ in the attribute mig.example.com/profile"},
	},
	"scheduler does not hold an alternative to its constraint": {
		Options: wrong.With(fakecluster.Mistakes{ConstrainsNoAlternative: true}), Spec: "prioritized-list-constraint-by-subrequest",
		Want: []string{"claim list should have what its requests and constraints ask for", "differ in the attribute mig.example.com/profile"},
	},
	"scheduler holds all alternatives to the constraint of one": {
		Options: wrong.With(fakecluster.Mistakes{ConstrainsAllAlternatives: true}), Spec: "prioritized-list-constraint-by-subrequest",
		Want: []string{"while waiting until pod list runs", "cannot allocate all claims"},
	},
	"scheduler lets later requests choose": {
		Options: wrong.With(fakecluster.Mistakes{PrefersLater: true}), Spec: "prioritized-list-earlier-request-decides",
		Want: []string{"the devices of claim keeps should be for [first/big second/big], because a constraint demands one profile", "first/small"},
	},
	"scheduler never takes an alternative back": {
		Options: wrong.With(fakecluster.Mistakes{NeverYields: true}), Spec: "prioritized-list-earlier-request-decides",
		Want: []string{"while waiting until pod yields runs", "cannot allocate all claims"},
	},
	"scheduler never takes an alternative back that breaks the constraint of its request": {
		Options: wrong.With(fakecluster.Mistakes{NeverYields: true}), Spec: "prioritized-list-constraint-by-request",
		Want: []string{"while waiting until pod before runs", "cannot allocate all claims"},
	},
	"scheduler never takes an alternative back that breaks its own constraint": {
		Options: wrong.With(fakecluster.Mistakes{NeverYields: true}), Spec: "prioritized-list-constraint-by-subrequest",
		Want: []string{"while waiting until pod before runs", "cannot allocate all claims"},
	},
	"scheduler looks for the smallest sum of ranks": {
		Options: wrong.With(fakecluster.Mistakes{SumsRanks: true}), Spec: "prioritized-list-earlier-request-decides",
		Want: []string{"the devices of claim keeps should be for [first/big second/big], because a constraint demands one profile", "first/small"},
	},
	"scheduler loses configuration of alternatives": {
		Options: wrong.With(fakecluster.Mistakes{LosesScopedConfig: true}), Spec: "prioritized-list-configures-what-was-taken",
		Want: []string{"the alternative that was taken should be configured as the claim says"},
	},
	"scheduler keeps configuration of what was not taken": {
		Options: wrong.With(fakecluster.Mistakes{KeepsAllConfig: true}), Spec: "prioritized-list-configures-what-was-taken",
		Want: []string{"what is for list/whole alone should be left out"},
	},
	"scheduler applies configuration to all requests": {
		Options: wrong.With(fakecluster.Mistakes{WidensConfig: true}), Spec: "prioritized-list-configures-what-was-taken",
		Want: []string{"the alternative that was taken should be configured as the claim says"},
	},
	"scheduler loses configuration of classes": {
		Options: wrong.With(fakecluster.Mistakes{LosesClassConfig: true}), Spec: "prioritized-list-configures-by-class-taken",
		Want: []string{"the alternative that was taken should be configured as its class says"},
	},
	"scheduler keeps configuration of the class that was not taken": {
		Options: wrong.With(fakecluster.Mistakes{KeepsAllConfig: true}), Spec: "prioritized-list-configures-by-class-taken",
		Want: []string{"the alternative that was not taken should not be configured", "whole"},
	},
	"scheduler applies configuration of classes to all requests": {
		Options: wrong.With(fakecluster.Mistakes{WidensConfig: true}), Spec: "prioritized-list-configures-by-class-taken",
		Want: []string{"the class of the other request configures nothing, and that of the list only the list", "small"},
	},
	"scheduler ignores counters, no alternative fits": {
		Options: wrong.With(fakecluster.Mistakes{IgnoresCounters: true}), Spec: "prioritized-list-waits-until-one-fits",
		Want: []string{"pod late should be refused, because claim full leaves room for none of its alternatives", "claim late was allocated [mig.example.com/node-1/gpu-0]"},
	},
	"scheduler does not return counters to alternatives": {
		Options: wrong.With(fakecluster.Mistakes{KeepsCounters: true}), Spec: "prioritized-list-waits-until-one-fits",
		Want: []string{"while waiting until pod late runs", "pod late is Pending: PodScheduled: 0/1 nodes are available"},
	},
	"scheduler takes what is left over": {
		Options: wrong.With(fakecluster.Mistakes{PrefersLast: true}), Spec: "prioritized-list-waits-until-one-fits",
		Want: []string{"the devices of claim late should be for [list/whole], because all of it fits again"},
	},
	"scheduler does not say why no alternative fits": {
		Options: wrong.With(fakecluster.Mistakes{NeverReports: true}), Spec: "prioritized-list-waits-until-one-fits",
		Want: []string{"pod late is not reported as unschedulable"},
	},
}
