// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Classic is what releases with classic DRA (KEP-3063) have of claims in addition to the
// fields that newer ones have. Drivers there allocate devices that are in no ResourceSlices, so an
// [Auditor] does not compare allocations with slices, classes and requests.
type Classic struct {
	// Leaving has the claims whose deallocation is requested.
	Leaving map[types.UID]bool
}

// classicReservedMaxSize is ResourceClaimReservedForMaxSize of Kubernetes 1.30 and 1.31.
const classicReservedMaxSize = 32

// checkClassic is check for a view of a cluster with classic DRA.
func (a *Auditor) checkClassic(v View) []finding {
	found := checkClaims(v.Claims)
	for i := range v.Claims {
		for _, f := range v.Classic.checkClaim(&v.Claims[i]) {
			found = append(found, f.of(&v.Claims[i]))
		}
	}
	if a.last == nil {
		return found
	}
	return append(found, a.checkPods(v)...)
}

// checkClaim returns what is wrong with a claim by the rules of classic DRA.
func (c *Classic) checkClaim(claim *resourceapi.ResourceClaim) []finding {
	var found []finding
	if n := len(claim.Status.ReservedFor); n > classicReservedMaxSize {
		found = append(found, finding{rule: ReservedLimit, about: "limit", text: fmt.Sprintf("it is reserved for %d consumers, more than %d", n, classicReservedMaxSize)})
	}
	switch {
	case !c.Leaving[claim.UID]:
	case claim.Status.Allocation == nil:
		found = append(found, finding{rule: DeallocationOfUnused, about: "not allocated", text: "its deallocation is requested, but it is not allocated"})
	case len(claim.Status.ReservedFor) > 0:
		user := claim.Status.ReservedFor[0]
		found = append(found, finding{
			rule: DeallocationOfUnused, about: string(user.UID),
			text: fmt.Sprintf("its deallocation is requested, but it is reserved for %s %s (UID %s)", user.Resource, user.Name, user.UID),
		})
	}
	return found
}
