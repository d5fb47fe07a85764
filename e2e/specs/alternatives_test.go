package specs_test

import "github.com/draconform/draconform/e2e/internal/fakecluster"

// wrongWithAlternatives are clusters with one fault each that affects
// prioritized lists, and the spec that must detect it.
var wrongWithAlternatives = map[string]mistake{
	"scheduler tries the last alternative first": {
		cluster: makes(fakecluster.Mistakes{PrefersLast: true}), spec: takesFirst,
		want: []string{"the devices of claim larger should be for [list/whole], because both alternatives fit and the whole device is preferred", "list/small"},
	},
	"scheduler tries alternatives by their names": {
		cluster: makes(fakecluster.Mistakes{SortsAlternatives: true}), spec: takesFirst,
		want: []string{"the devices of claim larger should be for [list/whole]", "list/small"},
	},
	"scheduler results name requests without alternatives": {
		cluster: makes(fakecluster.Mistakes{NamesRequests: true}), spec: takesFirst,
		want: []string{"claim larger should have what its requests", "request list has no devices for any of its alternatives", "is for request list, which the claim does not have"},
	},
	"scheduler tries the first alternative alone": {
		cluster: makes(fakecluster.Mistakes{NeverFallsBack: true}), spec: fallsBack,
		want: []string{"while waiting until pod list runs", "pod list is Pending: PodScheduled: 0/1 nodes are available"},
	},
	"scheduler results name the first alternative": {
		cluster: makes(fakecluster.Mistakes{NamesFirst: true}), spec: fallsBack,
		want: []string{"request list/whole has device mig.example.com/node-1/gpu-0-mig-1g-5gb-1, which its selector does not accept"},
	},
	"scheduler ignores counters, first alternative": {
		cluster: makes(fakecluster.Mistakes{IgnoresCounters: true}), spec: fallsBack,
		want: []string{"allocations in the cluster should agree with what its slices offer", "is overdrawn"},
	},
	"scheduler ignores how many devices an alternative wants": {
		cluster: makes(fakecluster.Mistakes{IgnoresCounts: true}), spec: countsEach,
		want: []string{"request list/whole has 1 devices, not 2"},
	},
	"scheduler tries one alternative, which has too few devices": {
		cluster: makes(fakecluster.Mistakes{NeverFallsBack: true}), spec: countsEach,
		want: []string{"while waiting until pod list runs", "cannot allocate all claims"},
	},
	"scheduler does not hold alternatives to a constraint of their request": {
		cluster: makes(fakecluster.Mistakes{ConstrainsRequestsOnly: true}), spec: constraintByRequest,
		want: []string{"claim bound should have what its requests and constraints ask for", "differ in the attribute mig.example.com/profile"},
	},
	"scheduler does not hold an alternative to its constraint": {
		cluster: makes(fakecluster.Mistakes{ConstrainsNoAlternative: true}), spec: constraintBySubrequest,
		want: []string{"claim list should have what its requests and constraints ask for", "differ in the attribute mig.example.com/profile"},
	},
	"scheduler holds all alternatives to the constraint of one": {
		cluster: makes(fakecluster.Mistakes{ConstrainsAllAlternatives: true}), spec: constraintBySubrequest,
		want: []string{"while waiting until pod list runs", "cannot allocate all claims"},
	},
	"scheduler lets later requests choose": {
		cluster: makes(fakecluster.Mistakes{PrefersLater: true}), spec: earlierDecides,
		want: []string{"the devices of claim keeps should be for [first/big second/big], because a constraint demands one profile", "first/small"},
	},
	"scheduler never takes an alternative back": {
		cluster: makes(fakecluster.Mistakes{NeverYields: true}), spec: earlierDecides,
		want: []string{"while waiting until pod yields runs", "cannot allocate all claims"},
	},
	"scheduler never takes an alternative back that breaks the constraint of its request": {
		cluster: makes(fakecluster.Mistakes{NeverYields: true}), spec: constraintByRequest,
		want: []string{"while waiting until pod before runs", "cannot allocate all claims"},
	},
	"scheduler never takes an alternative back that breaks its own constraint": {
		cluster: makes(fakecluster.Mistakes{NeverYields: true}), spec: constraintBySubrequest,
		want: []string{"while waiting until pod before runs", "cannot allocate all claims"},
	},
	"scheduler looks for the smallest sum of ranks": {
		cluster: makes(fakecluster.Mistakes{SumsRanks: true}), spec: earlierDecides,
		want: []string{"the devices of claim keeps should be for [first/big second/big], because a constraint demands one profile", "first/small"},
	},
	"scheduler loses configuration of alternatives": {
		cluster: makes(fakecluster.Mistakes{LosesScopedConfig: true}), spec: configuresTaken,
		want: []string{"the alternative that was taken should be configured as the claim says"},
	},
	"scheduler keeps configuration of what was not taken": {
		cluster: makes(fakecluster.Mistakes{KeepsAllConfig: true}), spec: configuresTaken,
		want: []string{"what is for list/whole alone should be left out"},
	},
	"scheduler applies configuration to all requests": {
		cluster: makes(fakecluster.Mistakes{WidensConfig: true}), spec: configuresTaken,
		want: []string{"the alternative that was taken should be configured as the claim says"},
	},
	"scheduler loses configuration of classes": {
		cluster: makes(fakecluster.Mistakes{LosesClassConfig: true}), spec: configuresByClass,
		want: []string{"the alternative that was taken should be configured as its class says"},
	},
	"scheduler keeps configuration of the class that was not taken": {
		cluster: makes(fakecluster.Mistakes{KeepsAllConfig: true}), spec: configuresByClass,
		want: []string{"the alternative that was not taken should not be configured", "whole"},
	},
	"scheduler applies configuration of classes to all requests": {
		cluster: makes(fakecluster.Mistakes{WidensConfig: true}), spec: configuresByClass,
		want: []string{"the class of the other request configures nothing, and that of the list only the list", "small"},
	},
	"scheduler ignores counters, no alternative fits": {
		cluster: makes(fakecluster.Mistakes{IgnoresCounters: true}), spec: waitsUntilOneFits,
		want: []string{"pod late should be refused, because claim full leaves room for none of its alternatives", "claim late was allocated [mig.example.com/node-1/gpu-0]"},
	},
	"scheduler does not return counters to alternatives": {
		cluster: makes(fakecluster.Mistakes{KeepsCounters: true}), spec: waitsUntilOneFits,
		want: []string{"while waiting until pod late runs", "pod late is Pending: PodScheduled: 0/1 nodes are available"},
	},
	"scheduler takes what is left over": {
		cluster: makes(fakecluster.Mistakes{PrefersLast: true}), spec: waitsUntilOneFits,
		want: []string{"the devices of claim late should be for [list/whole], because all of it fits again"},
	},
	"scheduler does not say why no alternative fits": {
		cluster: makes(fakecluster.Mistakes{NeverReports: true}), spec: waitsUntilOneFits,
		want: []string{"pod late is not reported as unschedulable"},
	},
}
