// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/internal/fault"
)

// unprepareOthers unprepares those claims that a driver with a fault does not tell
// from a claim with the same devices, or with other partitions of them.
func (s *Store) unprepareOthers(uid types.UID) {
	for _, device := range s.prepared.Claims[uid].Devices {
		isConfused := fault.ReleasesWithAdminAccess && device.AdminAccess || fault.UnpreparesOtherShares && device.ShareID != ""
		isSibling := fault.UnpreparesOtherPartitions && device.Partition
		if !isConfused && !isSibling {
			continue
		}
		for other, claim := range s.prepared.Claims {
			has := func(d preparedDevice) bool {
				return isConfused && d.Device.Device == device.Device.Device || isSibling && s.ofSameParent(d, device)
			}
			if other != uid && slices.ContainsFunc(claim.Devices, has) {
				_ = s.unprepare(other)
			}
		}
	}
}

// ofSameParent reports whether two devices consume counters of the same set.
func (s *Store) ofSameParent(a, b preparedDevice) bool {
	consumed := func(d preparedDevice) (sets []string) {
		if known := s.devices.Inventory.Device(d.Device.Device); known != nil {
			for _, consumption := range known.ConsumesCounters {
				sets = append(sets, consumption.CounterSet)
			}
		}
		return sets
	}
	others := consumed(b)
	return slices.ContainsFunc(consumed(a), func(set string) bool { return slices.Contains(others, set) })
}

// missing returns the error of a driver with a fault that unprepares no prepared claim
// without a CDI spec.
func (s *Store) missing(uid types.UID) error {
	if _, ok := s.prepared.Claims[uid]; ok && (fault.NeedsSpecsToUnprepare || fault.NeedsSpecsAfterRestart) && !s.specs.exists(uid) {
		return errors.New("remove CDI spec: it does not exist")
	}
	return nil
}

// leaves reports whether a driver with a fault does not remove the CDI spec of a claim when it
// unprepares it: one that it has not prepared, or that it had prepared or refused before it was
// started.
func (s *Store) leaves(uid types.UID) bool {
	_, isPrepared := s.prepared.Claims[uid]
	return fault.LeavesRefusedClaims && !isPrepared || slices.Contains(s.atStart, uid)
}
