// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"maps"
	"slices"
	"time"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// schedulerFault is an alteration of the scheduler around a correct allocator.
type schedulerFault struct {
	enabled bool
	// input alters what the allocator reads.
	input func(*Scene)
	// variants returns altered copies of claims. The scheduler allocates the
	// first of them that fits on a node.
	variants func(claims podClaims, fits func(podClaims) bool) []podClaims
	// output alters the allocations of Scene.Claims.
	output func(*Scene, []resourceapi.AllocationResult)
}

// schedulerFaults returns the faults of the scheduler that the options
// configure. A different order of preference is no fault, but is implemented in
// the same way.
func schedulerFaults(o *Options) []schedulerFault {
	m := &o.Mistakes
	all := []schedulerFault{
		{enabled: o.LastFit, input: preferLastDevices},
		{enabled: m.Misreads != nil, input: m.Misreads},

		{enabled: m.IgnoresCounters, input: ignoreCounters},
		{enabled: m.GivesInAfter > 0, input: ignoreCountersAfter(m.GivesInAfter)},
		{enabled: m.ForgetsClaims, input: func(s *Scene) { s.Objects.Claims = nil }},
		{enabled: m.KeepsCounters, input: keepClaims()},
		{enabled: m.RefusesAll, input: func(s *Scene) { s.Nodes = nil }},

		{enabled: m.IgnoresSelectors, input: eachRequest(ignoreSelectors)},
		{enabled: m.SkipsRequests, input: eachClaim(func(c *resourceapi.DeviceClaim) { c.Requests = c.Requests[:1] })},
		{enabled: m.PrefersLater, input: eachClaim(func(c *resourceapi.DeviceClaim) { slices.Reverse(c.Requests) })},
		{enabled: m.SpreadsParents, variants: spreadParents},

		{enabled: m.PrefersLast, input: eachRequest(func(r *resourceapi.DeviceRequest) { slices.Reverse(r.FirstAvailable) })},
		{enabled: m.SortsAlternatives, input: eachRequest(sortSubrequests)},
		{enabled: m.NeverFallsBack, input: eachRequest(keepFirstSubrequest)},
		{enabled: m.IgnoresCounts, input: eachRequest(ignoreCounts)},
		{enabled: m.NeverYields, variants: chooseInOrder},
		{enabled: m.SumsRanks, variants: chooseBySum},

		{enabled: m.ConstrainsRequestsOnly, input: eachConstrainedName(dropList)},
		{enabled: m.ConstrainsNoAlternative, input: eachConstrainedName(dropSubrequest)},
		{enabled: m.ConstrainsAllAlternatives, input: eachConstrainedName(widenToRequest)},

		{enabled: m.LosesScopedConfig, input: eachClaim(loseScopedConfig)},
		{enabled: m.LosesClassConfig, input: loseClassConfig},
		{enabled: m.KeepsAllConfig, output: eachAllocation(keepConfig)},
		{enabled: m.WidensConfig, output: eachAllocation(widenConfig)},

		{enabled: m.ForgetsRequests, output: eachAllocation(repeatDevices)},
		{enabled: m.InventsDevices, output: eachAllocation(inventDevices)},
		{enabled: m.NamesRequests, output: eachAllocation(nameRequests)},
		{enabled: m.NamesFirst, output: eachAllocation(nameFirstSubrequests)},
		{enabled: m.Miswrites != nil, output: m.Miswrites},
	}
	return slices.DeleteFunc(all, func(f schedulerFault) bool { return !f.enabled })
}

// preferLastDevices reverses the devices of each slice, and the nodes.
func preferLastDevices(s *Scene) {
	slices.Reverse(s.Nodes)
	for _, slice := range s.Objects.Slices {
		slices.Reverse(slice.Spec.Devices)
	}
}

func ignoreCounters(s *Scene) {
	for _, slice := range s.Objects.Slices {
		for i := range slice.Spec.Devices {
			slice.Spec.Devices[i].ConsumesCounters = nil
		}
	}
}

func ignoreCountersAfter(d time.Duration) func(*Scene) {
	return func(s *Scene) {
		if s.unschedulableFor >= d {
			ignoreCounters(s)
		}
	}
}

// keepClaims adds the claims that were deallocated or deleted to the allocated
// claims.
func keepClaims() func(*Scene) {
	known := map[types.UID]*resourceapi.ResourceClaim{}
	return func(s *Scene) {
		for _, claim := range s.Objects.Claims {
			known[claim.UID] = claim
		}
		s.Objects.Claims = slices.Collect(maps.Values(known))
	}
}

func loseClassConfig(s *Scene) {
	for _, class := range s.Objects.Classes {
		class.Spec.Config = nil
	}
}
