// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// checkClaims returns what is wrong with claims regardless of other objects
// in the cluster.
func checkClaims(claims []resourceapi.ResourceClaim) []finding {
	found := checkDeviceOnce(holdersOf(claims))
	for i := range claims {
		for _, f := range slices.Concat(checkReservedFor(&claims[i]), checkDeviceStatus(&claims[i])) {
			found = append(found, f.of(&claims[i]))
		}
	}
	return found
}

// of returns the finding as one about a claim.
func (f finding) of(claim *resourceapi.ResourceClaim) finding {
	name := nameOf(claim)
	f.about, f.text, f.causes = name+" "+f.about, "claim "+name+": "+f.text, [][]string{{name}}
	return f
}

// checkDeviceOnce returns devices with several holders that do not each have their
// own share. Schedulers record a unique shareID for each share and none for a
// device that is allocated as a whole, so the slices are not needed.
func checkDeviceOnce(held holders) []finding {
	var found []finding
	for _, id := range held.devices() {
		shares := map[types.UID]int{}
		for _, h := range held[id] {
			shares[ptr.Deref(h.result.ShareID, "")]++
		}
		whole := shares[""] > 0 && len(held[id]) > 1
		claimNames := held.names(id)
		if whole {
			found = append(found, finding{
				rule: DeviceOnce, about: id.String(),
				text: fmt.Sprintf("device %s is allocated %d times, and %d times as a whole: to %s", id, len(claimNames), shares[""], strings.Join(claimNames, " and ")),
			})
		}
		for share, n := range shares {
			if share != "" && n > 1 {
				found = append(found, finding{
					rule: DeviceOnce, about: id.String() + " " + string(share),
					text: fmt.Sprintf("share %s of device %s is allocated %d times: to %s", share, id, n, strings.Join(claimNames, " and ")),
				})
			}
		}
	}
	return found
}

// checkReservedFor returns what is wrong with the consumers that a claim is
// reserved for.
func checkReservedFor(claim *resourceapi.ResourceClaim) []finding {
	uses := claim.Status.ReservedFor
	var found []finding
	if n := len(uses); n > resourceapi.ResourceClaimReservedForMaxSize {
		found = append(found, finding{rule: ReservedLimit, about: "limit", text: fmt.Sprintf("it is reserved for %d consumers, more than %d", n, resourceapi.ResourceClaimReservedForMaxSize)})
	}
	for i, user := range uses {
		if slices.ContainsFunc(uses[:i], func(u resourceapi.ResourceClaimConsumerReference) bool { return u.UID == user.UID }) {
			found = append(found, finding{rule: ReservedLimit, about: string(user.UID), text: fmt.Sprintf("it is reserved twice for %s %s (UID %s)", user.Resource, user.Name, user.UID)})
		}
	}
	if len(uses) > 0 && claim.Status.Allocation == nil {
		found = append(found, finding{rule: ReservedAllocated, about: "not allocated", text: fmt.Sprintf("it is reserved for %s %s (UID %s), but not allocated", uses[0].Resource, uses[0].Name, uses[0].UID)})
	}
	return found
}

// checkDeviceStatus returns entries of a claim's status for devices, or shares, that
// are not allocated to it.
func checkDeviceStatus(claim *resourceapi.ResourceClaim) []finding {
	var found []finding
	for _, s := range claim.Status.Devices {
		id, share := DeviceID{s.Driver, s.Pool, s.Device}, ptr.Deref(s.ShareID, "")
		allocated := slices.ContainsFunc(results(claim), func(r resourceapi.DeviceRequestAllocationResult) bool {
			return idOf(r) == id && string(ptr.Deref(r.ShareID, "")) == share
		})
		if !allocated {
			found = append(found, finding{rule: StatusOfAllocated, about: id.String() + share, text: fmt.Sprintf("it has the status of device %s%s, which is not allocated to it", id, ofShare(share))})
		}
	}
	return found
}

func ofShare(share string) string {
	if share == "" {
		return ""
	}
	return " with share " + share
}
