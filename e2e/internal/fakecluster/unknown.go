// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/internal/rules"
)

// unknownDevices updates the set of devices that are unknown because a claim on
// them does not state the values that they require. It returns a placeholder
// claim for each of these devices that is still in use (KEP-5981, Restart
// reconstruction, step 6).
func (c *Cluster) unknownDevices(objects state.Objects) ([]*resourceapi.ResourceClaim, error) {
	declared, err := declaredRules(objects.Slices)
	if err != nil {
		return nil, err
	}
	unknown := c.scheduler.unknown
	inUse := map[structured.DeviceID]resourceapi.DeviceRequestAllocationResult{}
	for _, claim := range objects.Claims {
		allocated := claim.Status.Allocation.Devices
		for _, r := range allocated.Results {
			device := deviceOf(r)
			inUse[device] = r
			if rule, ok := declared[device]; ok {
				if _, err := rule.Admit(allocated.Config, r.Request); err != nil {
					unknown[device] = true
				}
			}
		}
	}
	var placeholders []*resourceapi.ResourceClaim
	for device := range unknown {
		r, ok := inUse[device]
		if !ok {
			delete(unknown, device)
			continue
		}
		claim := &resourceapi.ResourceClaim{Status: resourceapi.ResourceClaimStatus{Allocation: &resourceapi.AllocationResult{}}}
		claim.Status.Allocation.Devices.Results = []resourceapi.DeviceRequestAllocationResult{r}
		placeholders = append(placeholders, claim)
	}
	return placeholders, nil
}

// declaredRules returns the affinity rules that the slices declare.
func declaredRules(slices []*resourceapi.ResourceSlice) (map[structured.DeviceID]affinity.Rule, error) {
	all := map[structured.DeviceID]affinity.Rule{}
	for _, slice := range slices {
		declared, err := rules.SharingAffinity(slice)
		if err != nil {
			return nil, err
		}
		for device, declaration := range declared {
			all[structured.MakeDeviceID(slice.Spec.Driver, slice.Spec.Pool.Name, device)] = affinity.Rule{Declaration: declaration, Declared: true}
		}
	}
	return all, nil
}
