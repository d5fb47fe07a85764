// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
)

// eachClaim returns an alteration of the claims that the allocator reads. The
// stored claims do not change.
func eachClaim(alter func(*resourceapi.DeviceClaim)) func(*Scene) {
	return func(s *Scene) {
		for i, claim := range s.Claims {
			s.Claims[i] = claim.DeepCopy()
			alter(&s.Claims[i].Spec.Devices)
		}
	}
}

func eachRequest(alter func(*resourceapi.DeviceRequest)) func(*Scene) {
	return eachClaim(func(c *resourceapi.DeviceClaim) {
		for i := range c.Requests {
			alter(&c.Requests[i])
		}
	})
}

func ignoreSelectors(r *resourceapi.DeviceRequest) {
	if r.Exactly != nil {
		r.Exactly.Selectors = nil
	}
	for i := range r.FirstAvailable {
		r.FirstAvailable[i].Selectors = nil
	}
}

func sortSubrequests(r *resourceapi.DeviceRequest) {
	slices.SortFunc(r.FirstAvailable, func(a, b resourceapi.DeviceSubRequest) int { return strings.Compare(a.Name, b.Name) })
}

func keepFirstSubrequest(r *resourceapi.DeviceRequest) {
	r.FirstAvailable = r.FirstAvailable[:min(1, len(r.FirstAvailable))]
}

func ignoreCounts(r *resourceapi.DeviceRequest) {
	for i := range r.FirstAvailable {
		r.FirstAvailable[i].Count = 1
	}
}

// eachConstrainedName returns an alteration of the request names in constraints
// that list names. An empty name is that of no request. A constraint with only
// such names is removed.
func eachConstrainedName(alter func(c *resourceapi.DeviceClaim, name string) string) func(*Scene) {
	return eachClaim(func(c *resourceapi.DeviceClaim) {
		c.Constraints = slices.DeleteFunc(c.Constraints, func(constraint resourceapi.DeviceConstraint) bool {
			for i, name := range constraint.Requests {
				constraint.Requests[i] = alter(c, name)
			}
			return len(constraint.Requests) > 0 && !slices.ContainsFunc(constraint.Requests, func(name string) bool { return name != "" })
		})
	})
}

// dropList removes the name of a request with subrequests.
func dropList(c *resourceapi.DeviceClaim, name string) string {
	if slices.ContainsFunc(c.Requests, func(r resourceapi.DeviceRequest) bool { return r.Name == name && len(r.FirstAvailable) > 0 }) {
		return ""
	}
	return name
}

func dropSubrequest(_ *resourceapi.DeviceClaim, name string) string {
	if isSubrequest(name) {
		return ""
	}
	return name
}

func widenToRequest(_ *resourceapi.DeviceClaim, name string) string { return requestOf(name) }

func loseScopedConfig(c *resourceapi.DeviceClaim) {
	c.Config = slices.DeleteFunc(c.Config, func(one resourceapi.DeviceClaimConfiguration) bool {
		return slices.ContainsFunc(one.Requests, isSubrequest)
	})
}

// isSubrequest reports whether a name in a constraint, a configuration or a
// result is that of a subrequest.
func isSubrequest(name string) bool { return strings.Contains(name, "/") }

// requestOf returns the name of the request to which a subrequest belongs.
func requestOf(name string) string {
	request, _, _ := strings.Cut(name, "/")
	return request
}
