// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/internal/fault"
)

// admit returns an error if the claim's devices cannot be used at the same time
// as those of the prepared claims.
func (s *Store) admit(claim preparedClaim, rules map[string]affinity.Rule) error {
	held := s.holdings()
	for _, device := range claim.Devices {
		if device.AdminAccess && !fault.RefusesAdminAccess {
			continue
		}
		if err := s.admitDevice(held, device, rules[device.Device.Device]); err != nil {
			return fmt.Errorf("prepare claim %s, request %s: %w", claim, device.Request, err)
		}
		held = append(held, holding{claim, device})
	}
	return nil
}

// holding is a device, or a share of a device, that a claim holds without admin
// access.
type holding struct {
	claim  preparedClaim
	device preparedDevice
}

func (h holding) String() string {
	return fmt.Sprintf("device %s of claim %s", h.device.Device.Device, h.claim)
}

// holdings returns the holdings of all prepared claims, sorted by claim UID.
func (s *Store) holdings() []holding {
	var held []holding
	for _, uid := range slices.Sorted(maps.Keys(s.prepared.Claims)) {
		claim := s.prepared.Claims[uid]
		for _, device := range claim.Devices {
			if !device.AdminAccess || fault.HoldsForAdminAccess {
				held = append(held, holding{claim, device})
			}
		}
	}
	return held
}

func (s *Store) admitDevice(held []holding, wanted preparedDevice, rule affinity.Rule) error {
	name := wanted.Device.Device
	device := s.devices.Inventory.Device(name)
	shared := ptr.Deref(device.AllowMultipleAllocations, false) && wanted.ShareID != ""
	var sharers []holding
	for _, h := range held {
		if h.device.Device.Device != name {
			continue
		}
		switch {
		case !shared || h.device.ShareID == "":
			return fmt.Errorf("device %s is held by claim %s", name, h.claim)
		case h.device.ShareID == wanted.ShareID:
			return fmt.Errorf("share %s of device %s is held by claim %s", wanted.ShareID, name, h.claim)
		}
		sharers = append(sharers, h)
	}
	if shared {
		if err := admitShare(device, sharers, wanted, rule); err != nil {
			return err
		}
	}
	if len(sharers) > 0 {
		return nil // The first share accounts for the device's counters.
	}
	return s.admitCounters(held, device)
}

// admitCounters returns an error if a device needs more of a counter than
// remains.
func (s *Store) admitCounters(held []holding, device *resourceapi.Device) error {
	for _, consumption := range device.ConsumesCounters {
		for _, counter := range slices.Sorted(maps.Keys(consumption.Counters)) {
			needed := consumption.Counters[counter].Value
			left, holders := s.remaining(held, consumption.CounterSet, counter)
			if needed.Cmp(left) > 0 {
				return fmt.Errorf("device %s needs %s of counter %s in counter set %s, %s is left%s",
					device.Name, needed.String(), counter, consumption.CounterSet, left.String(), usedBy(holders))
			}
		}
	}
	return nil
}

// remaining returns the remaining value of a counter and the holders of the
// rest. The counters of a shared device are subtracted once.
func (s *Store) remaining(held []holding, set, counter string) (resource.Quantity, []string) {
	var left resource.Quantity
	for _, candidate := range s.devices.Inventory.CounterSets {
		if candidate.Name == set {
			left = candidate.Counters[counter].Value.DeepCopy()
		}
	}
	var holders []string
	counted := map[string]bool{}
	for _, h := range held {
		// After a restart with another model, a device that was prepared before
		// may be missing from the inventory, together with its counters.
		device := s.devices.Inventory.Device(h.device.Device.Device)
		if device == nil || counted[device.Name] {
			continue
		}
		counted[device.Name] = true
		for _, consumption := range device.ConsumesCounters {
			value := consumption.Counters[counter].Value
			if consumption.CounterSet == set && !value.IsZero() {
				left.Sub(value)
				holders = append(holders, h.String())
			}
		}
	}
	return left, holders
}
