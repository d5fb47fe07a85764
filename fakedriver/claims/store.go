// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package claims prepares and unprepares the claims of one node. It decides
// whether a claim may use the devices that were allocated for it, stores
// prepared claims across restarts and describes their devices to the container
// runtime.
package claims

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/devenv"
	"github.com/draconform/draconform/internal/fault"
)

// Config configures a Store: the driver whose claims it prepares and the
// directories of its files.
type Config struct {
	// Driver is the name of the DRA driver. Results of other drivers in a claim
	// are ignored.
	Driver string
	// Source returns the devices of the node. SetSource replaces it.
	Source Source
	// DataDir is the directory of the checkpoint. It must exist.
	DataDir string
	// OlderCheckpoint selects the checkpoint format of the previous version,
	// which neither writes nor verifies a checksum.
	OlderCheckpoint bool
	// Shared must be set if other processes may have a Store with the same
	// directories, for example two versions of the driver during a rolling
	// update.
	Shared bool
	// CDIDir is the directory where the container runtime looks for CDI specs.
	CDIDir string
	// Affinity returns the affinity rules of shared devices, by device. Nil
	// means that there are no rules.
	Affinity func(context.Context) (map[string]affinity.Rule, error)
	// InUse returns all claims that pods may be using, at least those with
	// devices of this driver. It is called when the checkpoint is corrupt or lost,
	// and when recovered claims may have to be removed. If it is nil, a corrupt
	// checkpoint is an error, and a lost one is not noticed.
	InUse func(context.Context) ([]resourceapi.ResourceClaim, error)
}

// Store holds the prepared claims of a node. A claim counts as prepared as soon
// as it is in the checkpoint. The CDI specs are derived from the checkpoint:
//
//   - Prepare writes the checkpoint before the spec. If the process terminates in
//     between, Open writes the missing spec.
//   - Unprepare removes the spec before it removes the claim from the checkpoint.
//     If the process terminates in between, Open writes the spec again, and the
//     kubelet calls Unprepare again because it received no response.
//
// A device that a container may still use is therefore always recorded. The
// methods are safe for concurrent use.
type Store struct {
	config Config

	mu     sync.Mutex
	source Source
	// devices are the devices that the source returned last.
	devices  Devices
	prepared checkpoint
	// retired is set when no more claims may be prepared.
	retired bool

	// These functions change files. Tests replace them to simulate
	// interruptions.
	save       func(checkpoint) error
	writeSpec  func(types.UID, preparedClaim) error
	removeSpec func(types.UID) error

	specs  *specDir
	damage []string
	// remembers has devices of claims that were prepared, for faults.
	remembers map[string][]preparedDevice
	// configured are the last parameters for devices, for a fault.
	configured map[string][]devenv.Config
	// atStart are claims whose CDI specs existed when the driver was started, for faults.
	atStart []types.UID
	disk    Disk
}

// Open reads the checkpoint and reconciles the CDI specs with it. Specs without
// a prepared claim are removed. All other specs are written.
//
// Corrupt checkpoints and specs are kept under another name. If the checkpoint
// is corrupt, or does not exist although there are specs, the claims that are in
// use count as prepared.
func Open(ctx context.Context, config Config) (*Store, error) {
	specs, err := newSpecDir(config.CDIDir, config.Driver)
	if err != nil {
		return nil, err
	}
	store := &Store{config: config, source: config.Source, removeSpec: specs.remove, specs: specs}
	store.save, store.writeSpec = store.saveToDisk, store.writeSpecToDisk
	if !config.Shared {
		return store, store.read(ctx)
	}
	return store, locked(ctx, filepath.Join(config.DataDir, lockFile), func() error { return store.read(ctx) })
}

// read implements Open for the files.
func (s *Store) read(ctx context.Context) (err error) {
	if s.prepared, err = s.load(); err != nil {
		if err := s.recovered(ctx, err); err != nil {
			return err
		}
	}
	if err := errors.Join(s.forgetSome(), s.forgetConsumed(), s.forgetRemoved(ctx)); err != nil {
		return err
	}
	if err := s.restore(ctx); err != nil {
		return fmt.Errorf("recover prepared claims: %w", err)
	}
	if fault.LeavesSpecsAfterRestart {
		s.atStart = slices.Collect(maps.Keys(s.prepared.Claims))
	}
	return s.emptyStored()
}

// restore reconciles the CDI specs with the checkpoint.
func (s *Store) restore(ctx context.Context) error {
	present, err := s.specs.list()
	if err != nil {
		return err
	}
	for _, found := range s.specs.damage {
		klog.FromContext(ctx).Error(nil, "Renamed a corrupt file", "reason", found)
	}
	s.damage = append(s.damage, s.specs.damage...)
	for _, uid := range present {
		if _, ok := s.prepared.Claims[uid]; !ok {
			if fault.ForgetsRefusedClaims {
				s.atStart = append(s.atStart, uid)
				continue
			}
			if err := s.removeSpec(uid); err != nil {
				return err
			}
		}
	}
	if fault.DoesNotRestoreSpecs || fault.NeedsSpecsAfterRestart {
		return nil
	}
	for uid, claim := range s.prepared.Claims {
		if err := s.writeSpec(uid, unconfigured(claim)); err != nil {
			return err
		}
	}
	return nil
}

// Prepared returns the prepared claims, as <namespace>/<name>, sorted.
func (s *Store) Prepared() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return s.names()
}

// Described returns the claims that have a CDI spec, sorted: prepared claims as
// <namespace>/<name>, others by UID. It returns an error if the CDI directory
// cannot be read.
func (s *Store) Described() ([]string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	present, err := s.specs.present()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, uid := range present {
		if claim, ok := s.prepared.Claims[uid]; ok {
			names = append(names, claim.String())
		} else {
			names = append(names, string(uid))
		}
	}
	slices.Sort(names)
	return names, nil
}

func (s *Store) names() []string {
	var names []string
	for _, claim := range s.prepared.Claims {
		names = append(names, claim.String())
	}
	slices.Sort(names)
	return names
}

// Retire makes the store reject all further claims if no claim is prepared.
// Otherwise it returns the prepared claims and changes nothing.
func (s *Store) Retire() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	s.retired = len(s.prepared.Claims) == 0
	return s.names()
}
