// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/internal/fault"
)

// devicesForFaults returns the devices of the node for faults that compare them with those
// of prepared claims.
func (s *Store) devicesForFaults(ctx context.Context) Devices {
	if !fault.NeedsDevicesToUnprepare && !fault.ForgetsRemovedDevices {
		return Devices{}
	}
	devices, err := s.currentDevices(ctx)
	if err != nil {
		return Devices{}
	}
	return devices
}

// isRemoved reports whether a device of a claim is none of the node's devices. They are
// unknown without a pool.
func (c preparedClaim) isRemoved(devices Devices) bool {
	return devices.Pool != "" && slices.ContainsFunc(c.Devices, func(d preparedDevice) bool { return devices.Inventory.Device(d.Device.Device) == nil })
}

// removed returns an error for a claim that a driver with a fault cannot unprepare, because
// the node does not have its devices any more.
func (s *Store) removed(uid types.UID, devices Devices) error {
	if fault.NeedsDevicesToUnprepare && s.prepared.Claims[uid].isRemoved(devices) {
		return errors.New("the node does not have its devices")
	}
	return nil
}

// forgetRemoved forgets the claims with devices that the node does not have any more.
func (s *Store) forgetRemoved(ctx context.Context) error {
	devices := s.devicesForFaults(ctx)
	isForgotten := func(_ types.UID, claim preparedClaim) bool {
		return fault.ForgetsRemovedDevices && claim.isRemoved(devices)
	}
	some := maps.Clone(s.prepared.Claims)
	maps.DeleteFunc(some, isForgotten)
	if len(some) == len(s.prepared.Claims) {
		return nil
	}
	return s.commit(func(claims map[types.UID]preparedClaim) { maps.DeleteFunc(claims, isForgotten) })
}

// thinking is how long a driver with a fault takes between reading its prepared claims and
// storing another one.
const thinking = 500 * time.Millisecond

// seen returns the prepared claims as a driver with a fault reads them, some time before
// it stores others and without a lock.
func (s *Store) seen(loses bool) checkpoint {
	if !loses {
		return checkpoint{}
	}
	s.mu.Lock()
	s.refresh()
	seen := s.prepared.with(func(map[types.UID]preparedClaim) {})
	s.mu.Unlock()
	<-time.After(thinking)
	return seen
}

// overlook makes the prepared claims those that were seen.
func (s *Store) overlook(loses bool, seen checkpoint) {
	if loses {
		s.prepared = seen
	}
}

// End removes the CDI specs of all prepared claims, if the driver has the fault that it does
// so when its process ends.
func (s *Store) End() {
	if !fault.RemovesSpecsAtEnd {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for uid := range s.prepared.Claims {
		_ = s.removeSpec(uid)
	}
}

// withoutMetadata returns the checkpoint that a driver finds that does not store the
// attributes of metadata.
func withoutMetadata(loaded checkpoint) checkpoint {
	if !fault.StoresNoMetadata {
		return loaded
	}
	return loaded.with(func(claims map[types.UID]preparedClaim) {
		for uid, claim := range claims {
			claim.Devices = slices.Clone(claim.Devices)
			for i := range claim.Devices {
				claim.Devices[i].Metadata = nil
			}
			claims[uid] = claim
		}
	})
}
