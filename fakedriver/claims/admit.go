package claims

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// admit returns an error if the claim's devices cannot be used beside those of
// the prepared claims.
func (s *Store) admit(claim preparedClaim) error {
	held := s.holdings()
	for _, device := range claim.Devices {
		if device.AdminAccess {
			continue
		}
		if err := s.admitDevice(held, device); err != nil {
			return fmt.Errorf("prepare claim %s, request %s: %w", claim, device.Request, err)
		}
		held = append(held, holding{claim, device.Device.Device})
	}
	return nil
}

// holding is a device that a claim has for itself.
type holding struct {
	claim  preparedClaim
	device string
}

// holdings returns what the prepared claims hold, in a fixed order.
func (s *Store) holdings() []holding {
	var held []holding
	for _, uid := range slices.Sorted(maps.Keys(s.prepared.Claims)) {
		claim := s.prepared.Claims[uid]
		for _, device := range claim.Devices {
			if !device.AdminAccess {
				held = append(held, holding{claim, device.Device.Device})
			}
		}
	}
	return held
}

func (s *Store) admitDevice(held []holding, wanted preparedDevice) error {
	name := wanted.Device.Device
	for _, h := range held {
		if h.device == name {
			return fmt.Errorf("device %s is held by claim %s", name, h.claim)
		}
	}
	for _, consumption := range s.config.Inventory.Device(name).ConsumesCounters {
		for _, counter := range slices.Sorted(maps.Keys(consumption.Counters)) {
			needed := consumption.Counters[counter].Value
			left, holders := s.remaining(held, consumption.CounterSet, counter)
			if needed.Cmp(left) > 0 {
				return fmt.Errorf("device %s needs %s of counter %s in counter set %s, %s is left beside %s",
					name, needed.String(), counter, consumption.CounterSet, left.String(), strings.Join(holders, ", "))
			}
		}
	}
	return nil
}

// remaining returns how much of a counter the holdings leave, and who holds the
// rest.
func (s *Store) remaining(held []holding, set, counter string) (resource.Quantity, []string) {
	var left resource.Quantity
	for _, candidate := range s.config.Inventory.CounterSets {
		if candidate.Name == set {
			left = candidate.Counters[counter].Value.DeepCopy()
		}
	}
	var holders []string
	for _, h := range held {
		// A device from before a restart with another model is not in
		// the inventory any more, nor are its counters.
		device := s.config.Inventory.Device(h.device)
		if device == nil {
			continue
		}
		for _, consumption := range device.ConsumesCounters {
			value := consumption.Counters[counter].Value
			if consumption.CounterSet == set && !value.IsZero() {
				left.Sub(value)
				holders = append(holders, fmt.Sprintf("device %s of claim %s", h.device, h.claim))
			}
		}
	}
	return left, holders
}
