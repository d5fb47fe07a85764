package claims

import (
	"context"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/internal/fault"
)

// Prepare makes the devices that were allocated for a claim available to
// containers and returns them. Preparing a claim again returns the same. If it
// fails, the claim holds nothing.
//
// It fails when a device is not of this node or is held by another claim, and
// when the counters of its GPU, or the node's chips of a device that spans nodes,
// do not suffice beside those of the claims prepared so far: that is how a scheduler's mistake is kept from doing harm. A device that
// allows multiple allocations may be shared as far as its capacity goes, by
// claims that agree on what the device demands. Devices allocated with admin
// access neither count nor are counted.
func (s *Store) Prepare(ctx context.Context, claim *resourceapi.ResourceClaim) ([]kubeletplugin.Device, error) {
	rules, err := s.rules(ctx, claim)
	if err != nil {
		return nil, err
	}
	devices, unknown := s.ask(ctx)
	var result []kubeletplugin.Device
	err = s.exclusively(ctx, func() (err error) {
		result, err = s.prepareWith(ctx, claim, rules, devices, unknown)
		return err
	})
	return result, err
}

// prepareWith prepares with the devices that there are, unless it is unknown
// which ones.
func (s *Store) prepareWith(ctx context.Context, claim *resourceapi.ResourceClaim, rules map[string]affinity.Rule, devices Devices, unknown error) ([]kubeletplugin.Device, error) {
	if s.retired {
		return nil, fmt.Errorf("prepare claim %s/%s: driver %s is being removed", claim.Namespace, claim.Name, s.config.Driver)
	}
	wanted, err := s.allocated(claim)
	if err != nil {
		return nil, err
	}
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

// admitOrForget asks again after claims were dropped that only seemed to be
// prepared.
func (s *Store) admitOrForget(ctx context.Context, wanted preparedClaim, rules map[string]affinity.Rule) error {
	refused := s.admit(wanted, rules)
	if refused == nil {
		return nil
	}
	forgotten, err := s.forget(ctx)
	if err != nil {
		return fmt.Errorf("%w; %w", refused, err)
	}
	if !forgotten {
		return refused
	}
	return s.admit(wanted, rules)
}

// prepare does what was found to be right.
func (s *Store) prepare(uid types.UID, wanted preparedClaim) ([]kubeletplugin.Device, error) {
	if err := s.commit(func(claims map[types.UID]preparedClaim) { claims[uid] = wanted }); err != nil {
		return nil, err
	}
	if err := s.writeSpec(uid, wanted); err != nil {
		if undo := s.commit(func(claims map[types.UID]preparedClaim) { delete(claims, uid) }); undo != nil {
			return nil, fmt.Errorf("%w; the claim keeps its devices until it is unprepared: %w", err, undo)
		}
		return nil, err
	}
	return s.result(wanted), nil
}

// prepareAgain answers a repeated call.
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
		// From now on the kubelet is going to unprepare it.
		before.Recovered = false
		if err := s.commit(func(claims map[types.UID]preparedClaim) { claims[uid] = before }); err != nil {
			return nil, err
		}
	}
	if fault.DoesNotRestoreSpecs {
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

// Unprepare undoes Prepare. It is no error if the claim is not prepared.
func (s *Store) Unprepare(ctx context.Context, uid types.UID) error {
	if fault.ForgetsToUnprepare {
		return nil
	}
	return s.exclusively(ctx, func() error {
		if fault.UnpreparesAllClaims {
			for other := range s.prepared.Claims {
				_ = s.unprepare(other)
			}
		}
		if err := s.unprepare(uid); err != nil {
			return fmt.Errorf("unprepare claim %s: %w", uid, err)
		}
		return nil
	})
}

func (s *Store) unprepare(uid types.UID) error {
	if err := s.removeSpec(uid); err != nil {
		return err
	}
	if _, ok := s.prepared.Claims[uid]; !ok {
		return nil
	}
	return s.commit(func(claims map[types.UID]preparedClaim) { delete(claims, uid) })
}

// commit changes the checkpoint, in memory only if that worked on disk.
func (s *Store) commit(change func(map[types.UID]preparedClaim)) error {
	next := s.prepared.with(change)
	if err := s.save(next); err != nil {
		return err
	}
	s.prepared = next
	return nil
}
