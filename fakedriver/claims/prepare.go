// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"errors"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/internal/fault"
)

// Prepare makes the devices that were allocated for a claim available to
// containers and returns them. Preparing a claim again returns the same
// devices. If Prepare fails, the claim holds no devices.
//
// Prepare fails if parameters for the driver are of an API group that it does not
// know, and if a device is not on this node or is held by another claim. It
// also fails if the counters of a GPU, or this node's chips of a device that
// spans nodes, are not sufficient in addition to the claims that are already
// prepared. This limits the effect of incorrect scheduling decisions. A device
// with allowMultipleAllocations may be shared up to its capacity by claims
// whose affinity values satisfy the rule of the device. Devices that are
// allocated with admin access are excluded from these checks.
func (s *Store) Prepare(ctx context.Context, claim *resourceapi.ResourceClaim) ([]kubeletplugin.Device, error) {
	rules, err := s.rules(ctx, claim)
	if err != nil {
		return nil, err
	}
	devices, unknown := s.currentDevices(ctx)
	var result []kubeletplugin.Device
	seen := s.seen(fault.LosesParallelClaims)
	err = s.exclusively(ctx, func() (err error) {
		s.overlook(fault.LosesParallelClaims, seen)
		result, err = s.prepareWith(ctx, claim, rules, devices, unknown)
		return err
	})
	return result, err
}

// prepareWith prepares the claim with the given devices. If the source returned
// an error, unknown is that error, and only a claim that is already prepared
// succeeds.
func (s *Store) prepareWith(ctx context.Context, claim *resourceapi.ResourceClaim, rules map[string]affinity.Rule, devices Devices, unknown error) ([]kubeletplugin.Device, error) {
	if s.retired {
		return nil, fmt.Errorf("prepare claim %s/%s: driver %s is being removed", claim.Namespace, claim.Name, s.config.Driver)
	}
	if err := rejected(claim); err != nil {
		return nil, err
	}
	wanted, err := s.allocated(claim)
	if err != nil {
		return nil, err
	}
	if err := CheckParameters(s.config.Driver, claim.Status.Allocation.Devices.Config); err != nil {
		return nil, s.refused(claim.UID, wanted, err)
	}
	wanted = s.remembered(claim.UID, wanted)
	if before, ok := s.prepared.Claims[claim.UID]; ok {
		return s.prepareAgain(claim.UID, before, wanted)
	}
	if len(wanted.Devices) == 0 {
		return nil, nil
	}
	if unknown != nil {
		return nil, fmt.Errorf("prepare claim %s: %w", wanted, unknown)
	}
	s.devices = devices
	if err := s.describe(wanted); err != nil {
		return nil, err
	}
	if err := s.state(wanted, claim.Status.Allocation.Devices.Config, rules); err != nil {
		return nil, err
	}
	if err := s.admitOrForget(ctx, wanted, rules); err != nil {
		return nil, err
	}
	return s.prepare(claim.UID, wanted)
}

// admitOrForget admits the claim. If that fails, it removes recovered claims
// that are not in use any more and tries again.
func (s *Store) admitOrForget(ctx context.Context, wanted preparedClaim, rules map[string]affinity.Rule) error {
	admitErr := s.admit(wanted, rules)
	if admitErr == nil {
		return nil
	}
	forgotten, err := s.forget(ctx)
	if err != nil {
		return fmt.Errorf("%w; %w", admitErr, err)
	}
	if !forgotten {
		return admitErr
	}
	return s.admit(wanted, rules)
}

// prepare records an admitted claim in the checkpoint and writes its CDI spec.
func (s *Store) prepare(uid types.UID, wanted preparedClaim) ([]kubeletplugin.Device, error) {
	if err := s.commit(func(claims map[types.UID]preparedClaim) { claims[uid] = wanted }); err != nil && !fault.IgnoresFullDisk {
		return nil, err
	}
	if err := s.writeSpec(uid, wanted); err != nil && !fault.IgnoresFullDisk {
		if fault.TrustsFailedClaims || fault.HoldsFailedClaims {
			return nil, err
		}
		if undo := s.commit(func(claims map[types.UID]preparedClaim) { delete(claims, uid) }); undo != nil {
			return nil, fmt.Errorf("%w; the claim keeps its devices until it is unprepared: %w", err, undo)
		}
		return nil, err
	}
	return s.result(wanted), nil
}

// prepareAgain handles a repeated call for a prepared claim.
func (s *Store) prepareAgain(uid types.UID, before, wanted preparedClaim) ([]kubeletplugin.Device, error) {
	same := func(a, b preparedDevice) bool {
		return a.VariableName() == b.VariableName() && a.AdminAccess == b.AdminAccess
	}
	if fault.RefusesToPrepareAgain {
		return nil, fmt.Errorf("prepare claim %s: it is prepared already", wanted)
	}
	if !slices.EqualFunc(before.Devices, wanted.Devices, same) {
		return nil, fmt.Errorf("prepare claim %s: it was prepared with other devices and must be unprepared first", wanted)
	}
	if before.Recovered {
		// The kubelet has called Prepare for the claim, so it will call
		// Unprepare.
		before.Recovered = false
		if err := s.commit(func(claims map[types.UID]preparedClaim) { claims[uid] = before }); err != nil {
			return nil, err
		}
	}
	if fault.DoesNotRestoreSpecs || fault.TrustsFailedClaims {
		return s.result(before), nil
	}
	if fault.PreparesAnotherDeviceAgain {
		before.Devices = slices.Clone(before.Devices)
		before.Devices[0].Device.Device = "another"
	}
	if err := s.writeSpec(uid, before); err != nil {
		return nil, err
	}
	return s.result(before), nil
}

// Unprepare undoes Prepare. It returns no error if the claim is not prepared.
func (s *Store) Unprepare(ctx context.Context, uid types.UID) error {
	if fault.ForgetsToUnprepare {
		return nil
	}
	devices := s.devicesForFaults(ctx)
	seen := s.seen(fault.ForgetsParallelUnprepares)
	return s.exclusively(ctx, func() error {
		s.overlook(fault.ForgetsParallelUnprepares, seen)
		if fault.UnpreparesAllClaims {
			for other := range s.prepared.Claims {
				_ = s.unprepare(other)
			}
		}
		if err := s.removed(uid, devices); err != nil {
			return fmt.Errorf("unprepare claim %s: %w", uid, err)
		}
		s.unprepareOthers(uid)
		if err := s.unprepare(uid); err != nil {
			return fmt.Errorf("unprepare claim %s: %w", uid, err)
		}
		return nil
	})
}

func (s *Store) unprepare(uid types.UID) error {
	if fault.HoldsFailedClaims && !s.specs.exists(uid) {
		return nil
	}
	if err := s.missing(uid); err != nil {
		return err
	}
	if !s.leaves(uid) {
		if err := s.removeSpec(uid); err != nil {
			return err
		}
	}
	if _, ok := s.prepared.Claims[uid]; !ok {
		if fault.FailsToUnprepareUnknownClaims {
			return errors.New("it is not prepared")
		}
		return nil
	}
	err := s.commit(func(claims map[types.UID]preparedClaim) { delete(claims, uid) })
	if fault.IgnoresUnstoredUnprepare {
		return nil
	}
	return err
}

// commit changes the checkpoint on disk. It changes the checkpoint in memory
// only if that succeeds.
func (s *Store) commit(change func(map[types.UID]preparedClaim)) error {
	next := s.prepared.with(change)
	if err := s.save(next); err != nil {
		return err
	}
	s.prepared = next
	return nil
}
