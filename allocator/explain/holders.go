// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package explain

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/structured"
)

// Holders returns the claims that hold a device or shares of it. The allocated state does not contain this
// information.
type Holders func(device structured.DeviceID) []types.NamespacedName

// HoldersOf returns Holders that are based on the status of claims.
func HoldersOf(claims []*resourceapi.ResourceClaim) Holders {
	holders := map[structured.DeviceID][]types.NamespacedName{}
	for _, claim := range claims {
		if claim.Status.Allocation == nil {
			continue
		}
		name := types.NamespacedName{Namespace: claim.Namespace, Name: claim.Name}
		for i := range claim.Status.Allocation.Devices.Results {
			result := &claim.Status.Allocation.Devices.Results[i]
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			admin := result.AdminAccess != nil && *result.AdminAccess
			if !admin && !slices.Contains(holders[id], name) {
				holders[id] = append(holders[id], name)
			}
		}
	}
	return func(id structured.DeviceID) []types.NamespacedName { return holders[id] }
}

// names returns the known claims that hold a device as "namespace/name", or as the name if there is no namespace.
func (h Holders) names(id structured.DeviceID) []string {
	if h == nil {
		return nil
	}
	var names []string
	for _, name := range h(id) {
		names = append(names, strings.TrimPrefix(name.String(), "/"))
	}
	return names
}

// addHolders adds the claims that hold the device or that use its counter.
func (e *explainer) addHolders(reason *Reason, u *nodeUsage, position int) {
	word, i := u.device(position)
	switch reason.Kind {
	case ReasonInUse, ReasonCapacityLeft, ReasonAffinity:
		reason.addHolders(e.holders.names(word.Slice.ID(i)))
	case ReasonCounter:
		for j, users := range u.counters[word.Pool].users {
			counter := &u.Node.Pools[word.Pool].Core.Counters[j]
			if counter.SetName+"/"+counter.Name != reason.Name {
				continue
			}
			for _, user := range users {
				reason.addHolders(e.holders.names(user.slice.ID(user.index)))
			}
		}
	default: // No claim is responsible.
	}
}

func (r *Reason) addHolders(names []string) {
	for _, name := range names {
		if len(r.Holders) < maxExamples && !slices.Contains(r.Holders, name) {
			r.Holders = append(r.Holders, name)
		}
	}
}
