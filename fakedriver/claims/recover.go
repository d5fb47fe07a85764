// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/internal/fault"
)

// errLost indicates that a file existed and is gone.
var errLost = errors.New("the file is lost")

// load reads the checkpoint. The error wraps errCorrupt or errLost if prepared
// claims may be unknown.
func (s *Store) load() (checkpoint, error) {
	loaded, err := s.config.loadCheckpoint()
	if err == nil {
		err = s.lost()
	}
	return withoutMetadata(loaded), err
}

// lost returns an error if there is no checkpoint although a process of the
// driver has prepared claims: their CDI specs still exist. After a restart of the
// node it is the other way round.
func (s *Store) lost() error {
	path := filepath.Join(s.config.DataDir, checkpointFile)
	if _, err := os.Stat(path); s.config.InUse == nil || !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	present, err := s.specs.present()
	if err != nil || len(present) == 0 {
		return err
	}
	return fmt.Errorf("read checkpoint %s: %w: there are CDI specs of %d claims", path, errLost, len(present))
}

// recovered replaces a corrupt or lost checkpoint with the claims that are in
// use. A copy of a corrupt file is kept.
func (s *Store) recovered(ctx context.Context, cause error) error {
	isLost := errors.Is(cause, errLost)
	if s.config.InUse == nil || !isLost && !errors.Is(cause, errCorrupt) || fault.DiesOfDamagedCheckpoint {
		return cause
	}
	if fault.ForgetsDamagedCheckpoint {
		s.prepared = newCheckpoint()
		return s.save(s.prepared)
	}
	var err error
	if s.devices, err = s.currentDevices(ctx); err != nil {
		return fmt.Errorf("%w; read the devices: %w", cause, err)
	}
	inUse, err := s.inUse(ctx)
	if err != nil {
		return fmt.Errorf("%w; %w", cause, err)
	}
	kept := "nothing is kept of it"
	if !isLost {
		copied, err := KeepCopy(filepath.Join(s.config.DataDir, checkpointFile))
		if err != nil {
			return fmt.Errorf("%w; %w", cause, err)
		}
		kept = "kept as " + copied
	}
	s.prepared = newCheckpoint().with(func(claims map[types.UID]preparedClaim) {
		maps.Copy(claims, inUse)
	})
	if err := s.save(s.prepared); err != nil {
		return err
	}
	klog.FromContext(ctx).Error(cause, "Recovered the claims that are in use", "file", kept, "claims", len(inUse))
	s.damage = append(s.damage, fmt.Sprintf("%v; %s, recovered %d claims that are in use", cause, kept, len(inUse)))
	return nil
}

// inUse returns the claims that count as prepared without a checkpoint: claims
// that are reserved and have devices of this node.
func (s *Store) inUse(ctx context.Context) (map[types.UID]preparedClaim, error) {
	all, err := s.config.InUse(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the claims in use: %w", err)
	}
	inUse := map[types.UID]preparedClaim{}
	for i := range all {
		claim, err := s.presumed(&all[i])
		if err != nil {
			return nil, err
		}
		if len(claim.Devices) > 0 {
			inUse[all[i].UID] = claim
		}
	}
	return inUse, nil
}

// presumed returns a claim in the form in which it would have been prepared.
// The result has no devices if none of them belongs to this node.
func (s *Store) presumed(claim *resourceapi.ResourceClaim) (preparedClaim, error) {
	if claim.Status.Allocation == nil || len(claim.Status.ReservedFor) == 0 {
		return preparedClaim{}, nil
	}
	all, err := s.allocated(claim)
	if err != nil {
		return preparedClaim{}, err
	}
	out := preparedClaim{Namespace: all.Namespace, Name: all.Name, Recovered: true}
	for _, device := range all.Devices {
		if device.Pool != s.devices.Pool {
			continue
		}
		// An unknown device also counts as in use, unless it may belong to
		// other nodes of a topology.
		if known := s.lookUp(&device); !known && s.devices.Parts != nil {
			continue
		}
		if fault.RecoversNoShares && device.ShareID != "" {
			continue
		}
		if device.ShareID != "" {
			device.Affinity = stated(claim.Status.Allocation.Devices.Config, device.Request)
		}
		out.Devices = append(out.Devices, device)
		if fault.RecoversFirstDeviceOnly {
			break
		}
	}
	return out, nil
}

// forget removes recovered claims that were not prepared since and are not in
// use any more. The kubelet would never unprepare them. It reports whether it
// removed any. Without InUse, it keeps them.
func (s *Store) forget(ctx context.Context) (bool, error) {
	if s.config.InUse == nil {
		return false, nil
	}
	var recovered []types.UID
	for uid, claim := range s.prepared.Claims {
		if claim.Recovered {
			recovered = append(recovered, uid)
		}
	}
	if len(recovered) == 0 {
		return false, nil
	}
	inUse, err := s.inUse(ctx)
	if err != nil {
		return false, err
	}
	removed := false
	for _, uid := range recovered {
		if _, ok := inUse[uid]; ok {
			continue
		}
		if err := s.unprepare(uid); err != nil {
			return false, err
		}
		removed = true
	}
	return removed, nil
}

// Damage describes which files were corrupt when the store was opened, where
// their copies are and how the store recovered.
func (s *Store) Damage() []string { return s.damage }
