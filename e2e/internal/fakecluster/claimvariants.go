// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"cmp"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// podClaims are the claims of a pod.
type podClaims []*resourceapi.ResourceClaim

// spreadParents replaces each matchAttribute by a distinctAttribute for the
// first two requests, or removes it if that does not fit.
func spreadParents(claims podClaims, _ func(podClaims) bool) []podClaims {
	var apart, free podClaims
	for _, claim := range claims {
		spread := claim.DeepCopy()
		var first []string
		for _, request := range claim.Spec.Devices.Requests[:min(2, len(claim.Spec.Devices.Requests))] {
			first = append(first, request.Name)
		}
		for i, constraint := range claim.Spec.Devices.Constraints {
			spread.Spec.Devices.Constraints[i] = resourceapi.DeviceConstraint{Requests: first, DistinctAttribute: constraint.MatchAttribute}
		}
		apart = append(apart, spread)
		unconstrained := claim.DeepCopy()
		unconstrained.Spec.Devices.Constraints = nil
		free = append(free, unconstrained)
	}
	return []podClaims{apart, free}
}

// chooseInOrder chooses for one request after the other the first subrequest
// that fits together with the earlier choices. Later requests do not matter.
func chooseInOrder(claims podClaims, fits func(podClaims) bool) []podClaims {
	for i, claim := range claims {
		for j, request := range claim.Spec.Devices.Requests {
			for k := range request.FirstAvailable {
				chosen := choose(claims, i, j, k)
				if fits(until(chosen, i, j)) {
					claims = chosen
					break
				}
			}
		}
	}
	return []podClaims{claims}
}

// until returns the claims until a request of a claim.
func until(claims podClaims, claim, request int) podClaims {
	claims = slices.Clone(claims[:claim+1])
	claims[claim] = claims[claim].DeepCopy()
	devices := &claims[claim].Spec.Devices
	devices.Requests = devices.Requests[:request+1]
	return claims
}

// chooseBySum returns all combinations of subrequests, those with the smallest
// sum of positions first.
func chooseBySum(claims podClaims, _ func(podClaims) bool) []podClaims {
	type combination struct {
		claims podClaims
		sum    int
	}
	all := []combination{{claims: claims}}
	for i, claim := range claims {
		for j, request := range claim.Spec.Devices.Requests {
			var longer []combination
			for _, c := range all {
				for k := range request.FirstAvailable {
					longer = append(longer, combination{choose(c.claims, i, j, k), c.sum + k})
				}
			}
			if len(longer) > 0 {
				all = longer
			}
		}
	}
	slices.SortStableFunc(all, func(a, b combination) int { return cmp.Compare(a.sum, b.sum) })
	variants := make([]podClaims, len(all))
	for i := range all {
		variants[i] = all[i].claims
	}
	return variants
}

// choose returns the claims with a single subrequest for a request.
func choose(claims podClaims, claim, request, subrequest int) podClaims {
	claims = slices.Clone(claims)
	claims[claim] = claims[claim].DeepCopy()
	list := &claims[claim].Spec.Devices.Requests[request].FirstAvailable
	*list = (*list)[subrequest : subrequest+1]
	return claims
}
