// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"cmp"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/allocation"
)

// allocator returns the allocator for the input of the scheduler.
func (c *Cluster) allocator(s *Scene) (allocation.Allocator, error) {
	in := allocation.State{Slices: s.Objects.Slices, Classes: s.Objects.Classes, Claims: s.Objects.Claims}
	if !s.Forgetful {
		unknown, err := c.unknownDevices(s.Objects)
		if err != nil {
			return nil, err
		}
		in.Unknown = unknown
	}
	return c.scheduler.index.For(in)
}

// choice is a node for a pod, and an allocation for each of its claims there.
type choice struct {
	node    *corev1.Node
	results []resourceapi.AllocationResult
	// extended is the claim for extended resources, whose allocation is the last
	// one. It is nil if the pod needs none.
	extended *ExtendedClaim
}

// allocate returns the best choice for a pod, or none if no node fits. The
// scheduler prefers the node with the best-ranked subrequests, then the node
// where more of the devices are already shared.
func (c *Cluster) allocate(a allocation.Allocator, s *Scene) (choice, error) {
	var best choice
	for _, node := range s.Nodes {
		extended, ok := s.extendedClaim(node)
		if !ok {
			continue
		}
		all := s.Claims
		if extended != nil {
			if change := c.Mistakes.MisrequestsExtended; change != nil {
				change(s.Pod, extended)
			}
			all = append(slices.Clone(all), extended.ResourceClaim)
		}
		found, err := c.allocateOn(a, node, all)
		if err != nil {
			return choice{}, err
		}
		if found != nil && !s.fitsResources(node, found) {
			c.scheduler.why = append(c.scheduler.why, "insufficient resources")
			continue
		}
		if found != nil && (best.node == nil || !c.hasOtherCriteria() && cmp.Or(
			cmp.Compare(c.ranks(s.Claims, found), c.ranks(s.Claims, best.results)), cmp.Compare(s.inUse(best.results), s.inUse(found)),
		) < 0) {
			best = choice{node, found, extended}
		}
	}
	if best.node != nil {
		c.scheduler.allocations++
	}
	for i := range best.results {
		if c.ReversesResults {
			slices.Reverse(best.results[i].Devices.Results)
		}
	}
	return best, nil
}

// hasOtherCriteria reports whether the scheduler ignores its preferences among
// nodes for the next pod.
func (c *Cluster) hasOtherCriteria() bool { return c.OtherCriteria && c.scheduler.allocations%4 == 3 }

// allocateOn returns an allocation for each claim on a node, or nil if the
// claims do not fit. An error that is an [allocation.NoFit] means that they do not fit on
// any node.
func (c *Cluster) allocateOn(a allocation.Allocator, node *corev1.Node, claims []*resourceapi.ResourceClaim) ([]resourceapi.AllocationResult, error) {
	variants := []podClaims{claims}
	var failed error
	for _, fault := range c.scheduler.faults {
		if fault.variants != nil {
			variants = fault.variants(claims, func(claims podClaims) bool {
				ok, err := a.Fits(node, claims)
				if err != nil && !isNoFit(err) {
					failed = err
				}
				return ok && err == nil
			})
		}
	}
	if failed != nil {
		return nil, failed
	}
	for _, variant := range variants {
		results, err := a.Allocate(node, variant)
		if err != nil {
			if noFit, ok := errors.AsType[*allocation.NoFit](err); !ok || !noFit.OnNode {
				return nil, err
			}
			c.scheduler.why = append(c.scheduler.why, err.Error())
		}
		if results != nil {
			return results, nil
		}
	}
	return nil, nil
}

// isNoFit reports whether an error means that claims do not fit. Another error is a
// failure of the allocator, and fails the run.
func isNoFit(err error) bool {
	_, ok := errors.AsType[*allocation.NoFit](err)
	return ok
}

// ranks returns the sum of the positions of the chosen subrequests in their
// lists.
func (c *Cluster) ranks(claims []*resourceapi.ResourceClaim, results []resourceapi.AllocationResult) int {
	sum := 0
	for i, claim := range claims {
		if c.Mistakes.ScoresLastClaimOnly {
			sum = 0
		}
		for _, request := range claim.Spec.Devices.Requests {
			for rank, subrequest := range request.FirstAvailable {
				if isChosen(&results[i].Devices, request.Name+"/"+subrequest.Name) {
					sum += rank
				}
			}
		}
	}
	return sum
}

// isChosen reports whether devices are allocated for a request.
func isChosen(d *resourceapi.DeviceAllocationResult, request string) bool {
	return slices.ContainsFunc(d.Results, func(r resourceapi.DeviceRequestAllocationResult) bool { return r.Request == request })
}

// inUse returns the number of results whose devices are already allocated to
// other claims.
func (s *Scene) inUse(results []resourceapi.AllocationResult) int {
	allocated := map[structured.DeviceID]bool{}
	for _, claim := range s.Objects.Claims {
		for _, r := range claim.Status.Allocation.Devices.Results {
			if !ptr.Deref(r.AdminAccess, false) {
				allocated[deviceOf(r)] = true
			}
		}
	}
	n := 0
	for _, result := range results {
		for _, r := range result.Devices.Results {
			if allocated[deviceOf(r)] {
				n++
			}
		}
	}
	return n
}

func deviceOf(r resourceapi.DeviceRequestAllocationResult) structured.DeviceID {
	return structured.MakeDeviceID(r.Driver, r.Pool, r.Device)
}
