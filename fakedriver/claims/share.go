// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/rules"
)

// admitShare returns an error if a share of a device cannot be used at the same
// time as the existing shares.
func admitShare(device *resourceapi.Device, sharers []holding, wanted preparedDevice, rule affinity.Rule) error {
	for _, name := range slices.Sorted(maps.Keys(wanted.Consumed)) {
		if _, ok := device.Capacity[name]; !ok {
			return fmt.Errorf("device %s has no capacity %s, which the claim consumes", device.Name, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
		left := device.Capacity[name].Value.DeepCopy()
		var holders []string
		for _, h := range sharers {
			left.Sub(consumed(device, h.device, name))
			holders = append(holders, "claim "+h.claim.String())
		}
		if needed := consumed(device, wanted, name); needed.Cmp(left) > 0 {
			return fmt.Errorf("share of device %s needs %s of capacity %s, %s is left%s",
				device.Name, &needed, name, &left, usedBy(holders))
		}
	}
	if fault.IgnoresAffinityOfOthers {
		return nil
	}
	for _, h := range sharers {
		if err := rule.Meet(h.device.Affinity, wanted.Affinity); err != nil {
			return fmt.Errorf("device %s is shared with claim %s: %w", device.Name, h.claim, err)
		}
	}
	return nil
}

// consumed returns how much of a capacity a share consumes. Allocations list
// every capacity of a shared device. If a capacity is not listed, the share
// counts as consuming all of it.
func consumed(device *resourceapi.Device, share preparedDevice, name resourceapi.QualifiedName) resource.Quantity {
	if taken, ok := share.Consumed[name]; ok {
		return taken
	}
	return device.Capacity[name].Value
}

func usedBy(holders []string) string {
	if len(holders) == 0 {
		return ""
	}
	return "; the rest is used by " + strings.Join(holders, ", ")
}

// rules returns the affinity rules of shared devices, by device, if the claim
// has a share of any device of this driver.
func (s *Store) rules(ctx context.Context, claim *resourceapi.ResourceClaim) (map[string]affinity.Rule, error) {
	if s.config.Affinity == nil || claim.Status.Allocation == nil {
		return nil, nil
	}
	for _, result := range claim.Status.Allocation.Devices.Results {
		if result.Driver == s.config.Driver && result.ShareID != nil {
			rules, err := s.config.Affinity(ctx)
			if err != nil {
				return nil, fmt.Errorf("prepare claim %s/%s: read the affinity rules of its devices: %w", claim.Namespace, claim.Name, err)
			}
			return rules, nil
		}
	}
	return nil, nil
}

// state adds the affinity values that the claim states for its shares. It
// returns an error if they violate the rules of the devices.
func (s *Store) state(wanted preparedClaim, config []resourceapi.DeviceAllocationConfiguration, rules map[string]affinity.Rule) error {
	for i := range wanted.Devices {
		share := &wanted.Devices[i]
		if share.ShareID == "" {
			continue
		}
		rule := rules[share.Device.Device]
		values, err := rule.Admit(config, share.Request)
		if err == nil && !fault.IgnoresOwnConfiguration {
			err = rule.Contradiction(s.config.Driver, config, share.Request, values)
		}
		if err != nil {
			return fmt.Errorf("prepare claim %s, request %s: device %s: %w", wanted, share.Request, share.Device.Device, err)
		}
		if share.Affinity = values; values == nil {
			share.Affinity = stated(config, share.Request)
		}
	}
	return nil
}

// stated returns the affinity values that a claim states for a device without a
// rule. The device may get a rule while it is in use. It returns nil if the
// values cannot be decoded.
func stated(config []resourceapi.DeviceAllocationConfiguration, request string) map[string]string {
	entry, err := rules.FindEntry(config, request)
	if err != nil {
		return nil
	}
	return entry.Strings()
}
