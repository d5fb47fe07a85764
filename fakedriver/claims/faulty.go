// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/draconform/draconform/internal/fault"
)

// heeded returns the results of an allocation that a driver with a fault prepares.
// Without a fault, these are all of them.
func heeded(results []resourceapi.DeviceRequestAllocationResult) []resourceapi.DeviceRequestAllocationResult {
	const four = 4
	switch {
	case fault.PreparesFirstResultOnly:
		return results[:min(1, len(results))]
	case fault.PreparesFourDevicesOnly:
		return results[:min(four, len(results))]
	case fault.PreparesFirstShareOnly:
		isShare := func(r resourceapi.DeviceRequestAllocationResult) bool { return r.ShareID != nil }
		first := slices.IndexFunc(results, isShare)
		var all []resourceapi.DeviceRequestAllocationResult
		for i, result := range results {
			if i == first || !isShare(result) {
				all = append(all, result)
			}
		}
		return all
	}
	return results
}

// ignored reports whether a fault makes the driver ignore the parameters for a
// result.
func ignored(config resourceapi.DeviceAllocationConfiguration, result resourceapi.DeviceRequestAllocationResult) bool {
	return fault.IgnoresClassConfiguration && config.Source == resourceapi.AllocationConfigSourceClass ||
		fault.IgnoresClaimConfiguration && config.Source == resourceapi.AllocationConfigSourceClaim ||
		fault.NeedsNamedRequests && !slices.Contains(config.Requests, result.Request) ||
		fault.IgnoresSubrequestParameters && len(config.Requests) > 0 && !slices.Contains(config.Requests, resourceclaim.BaseRequestRef(result.Request))
}

// misread returns the parameters of an allocation as a driver with a fault understands
// them for a result.
func (s *Store) misread(all []resourceapi.DeviceAllocationConfiguration, result resourceapi.DeviceRequestAllocationResult) []resourceapi.DeviceAllocationConfiguration {
	if fault.StopsAtOtherParameters {
		isOther := func(c resourceapi.DeviceAllocationConfiguration) bool { return c.Opaque.Driver != s.config.Driver }
		if i := slices.IndexFunc(all, isOther); i >= 0 {
			return all[:i]
		}
	}
	if fault.KeepsLastParameters {
		others := slices.DeleteFunc(slices.Clone(all), func(c resourceapi.DeviceAllocationConfiguration) bool { return c.Opaque.Driver != s.config.Driver })
		return others[max(0, len(others)-1):]
	}
	if fault.PrefersClaimParameters {
		isOfClass := func(c resourceapi.DeviceAllocationConfiguration) bool {
			return c.Source == resourceapi.AllocationConfigSourceClass
		}
		if ofClaim := slices.DeleteFunc(slices.Clone(all), isOfClass); len(ofClaim) > 0 {
			return ofClaim
		}
	}
	if !fault.ConfiguresByPrefix && !fault.ReadsFirstNameOnly {
		return all
	}
	all = slices.Clone(all)
	for i, config := range all {
		if fault.ReadsFirstNameOnly {
			all[i].Requests = config.Requests[:min(1, len(config.Requests))]
			continue
		}
		if slices.ContainsFunc(config.Requests, func(name string) bool { return strings.HasPrefix(result.Request, name) }) {
			all[i].Requests = nil
		}
	}
	return all
}

// unquoted returns parameters as a driver with a fault passes them on: without the quotation
// marks in their values.
func unquoted(parameters []byte) []byte {
	if !fault.StripsQuotes {
		return parameters
	}
	return bytes.ReplaceAll(parameters, []byte(`\"`), nil)
}

// remembered returns a claim with the devices that a driver with a fault takes for
// those of the claim, because it has prepared another one of this name, or the same
// one with another allocation.
func (s *Store) remembered(uid types.UID, wanted preparedClaim) preparedClaim {
	key := ""
	switch {
	case fault.RemembersNames:
		key = wanted.Name
	case fault.RemembersAllocations:
		key = string(uid)
	default:
		return wanted
	}
	if s.remembers == nil {
		s.remembers = map[string][]preparedDevice{}
	}
	if _, ok := s.remembers[key]; !ok {
		s.remembers[key] = wanted.Devices
	}
	wanted.Devices = s.remembers[key]
	return wanted
}

// rejected returns the error of a driver with a fault.
func rejected(claim *resourceapi.ResourceClaim) error {
	if fault.RejectsDeletedClaims && claim.DeletionTimestamp != nil {
		return fmt.Errorf("prepare claim %s/%s: it is being deleted", claim.Namespace, claim.Name)
	}
	return nil
}

// Named returns the UID of the prepared claim with the name of another one, if there is
// such a claim, for a driver with a fault.
func (s *Store) Named(claim kubeletplugin.NamespacedObject) types.UID {
	s.mu.Lock()
	defer s.mu.Unlock()
	for uid, prepared := range s.prepared.Claims {
		if prepared.String() == claim.NamespacedName.String() {
			return uid
		}
	}
	return claim.UID
}

// unconfigured returns a prepared claim as a driver describes it when it starts. Only one
// with a fault changes it.
func unconfigured(claim preparedClaim) preparedClaim {
	if !fault.ForgetsConfigurationAtRestart {
		return claim
	}
	claim.Devices = slices.Clone(claim.Devices)
	for i := range claim.Devices {
		claim.Devices[i].Configs = nil
	}
	return claim
}

// forgetConsumed removes from the checkpoint which capacity shares consume, if a driver
// with a fault does not find it there when it starts.
func (s *Store) forgetConsumed() error {
	if !fault.ForgetsConsumedCapacity || len(s.prepared.Claims) == 0 {
		return nil
	}
	return s.commit(func(claims map[types.UID]preparedClaim) {
		for uid, claim := range claims {
			claim.Devices = slices.Clone(claim.Devices)
			for i := range claim.Devices {
				claim.Devices[i].Consumed = nil
			}
			claims[uid] = claim
		}
	})
}

// forgetSome removes claims from the checkpoint that a driver with a fault does not find
// there when it starts.
func (s *Store) forgetSome() error {
	forgotten := func(uid types.UID, claim preparedClaim) bool {
		isAdmins := slices.ContainsFunc(claim.Devices, func(d preparedDevice) bool { return d.AdminAccess })
		return fault.ForgetsAdminAccess && isAdmins || fault.KeepsOneClaim && uid != slices.Min(slices.Collect(maps.Keys(s.prepared.Claims)))
	}
	some := maps.Clone(s.prepared.Claims)
	maps.DeleteFunc(some, forgotten)
	if len(some) == len(s.prepared.Claims) {
		return nil
	}
	return s.commit(func(claims map[types.UID]preparedClaim) { maps.DeleteFunc(claims, forgotten) })
}

// emptyStored makes a driver with a fault store no claims when it starts, although it knows
// those that it has read.
func (s *Store) emptyStored() error {
	if !fault.EmptiesCheckpointAtStart {
		return nil
	}
	return s.save(newCheckpoint())
}
