// Package claims prepares and unprepares the claims of one node: it decides
// whether a claim may have the devices that were allocated for it, remembers
// that across restarts and describes them to the container runtime.
package claims

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/internal/fault"
)

// Config says whose claims a Store prepares and where it keeps its files.
type Config struct {
	// Driver is the name of the DRA driver. Results of other drivers in a
	// claim are ignored.
	Driver string
	// Source says what claims are prepared for, until SetSource changes it.
	Source Source
	// DataDir holds the checkpoint. It must exist.
	DataDir string
	// OlderCheckpoint makes the checkpoint what the version before made of it:
	// without a checksum, which it did not look at either.
	OlderCheckpoint bool
	// Shared says that other processes may have a Store of the same directories,
	// as two versions of the driver have while one replaces the other.
	Shared bool
	// CDIDir is where the container runtime looks for CDI specs.
	CDIDir string
	// Affinity returns what claims that share a device must agree on, by
	// device. Nil means that they need not agree.
	Affinity func(context.Context) (map[string]affinity.Rule, error)
	// InUse returns all claims that pods may be using, at least those with
	// devices of this driver. It is only asked when the checkpoint
	// cannot be understood. Nil means that this is an error.
	InUse func(context.Context) ([]resourceapi.ResourceClaim, error)
}

// Store holds the prepared claims of a node. A claim counts as prepared from
// the moment it is in the checkpoint, and the CDI specs follow from that:
//
//   - Prepare writes the checkpoint before the spec. If the process dies in
//     between, Open writes the spec that is missing.
//   - Unprepare removes the spec before the claim leaves the checkpoint. If the
//     process dies in between, Open writes the spec again, and the kubelet
//     calls Unprepare again because it got no answer.
//
// So no device is ever forgotten while a container may still use it. The
// methods are safe for concurrent use.
type Store struct {
	config Config

	mu     sync.Mutex
	source Source
	// devices are what the source said last.
	devices  Devices
	prepared checkpoint
	// retired is set when no claim may be prepared any more.
	retired bool

	// The steps that change files. Tests interrupt them.
	save       func(checkpoint) error
	writeSpec  func(types.UID, preparedClaim) error
	removeSpec func(types.UID) error

	specs  *specDir
	damage []string
}

// Open reads the checkpoint and makes the CDI specs agree with it: those that
// belong to no prepared claim are removed, all others are written.
//
// A checkpoint or a spec that cannot be understood is kept under another name.
// Instead of such a checkpoint, the claims that are in use count as prepared.
func Open(ctx context.Context, config Config) (*Store, error) {
	specs, err := newSpecDir(config.CDIDir, config.Driver)
	if err != nil {
		return nil, err
	}
	store := &Store{
		config:     config,
		source:     config.Source,
		save:       func(c checkpoint) error { return c.save(config) },
		writeSpec:  specs.write,
		removeSpec: specs.remove,
		specs:      specs,
	}
	if !config.Shared {
		return store, store.read(ctx)
	}
	return store, locked(ctx, filepath.Join(config.DataDir, lockFile), func() error { return store.read(ctx) })
}

// read is what Open does with the files.
func (s *Store) read(ctx context.Context) (err error) {
	if s.prepared, err = s.config.loadCheckpoint(); err != nil {
		if err := s.recovered(ctx, err); err != nil {
			return err
		}
	}
	if err := s.restore(ctx); err != nil {
		return fmt.Errorf("recover prepared claims: %w", err)
	}
	return nil
}

// restore makes the CDI specs agree with the checkpoint.
func (s *Store) restore(ctx context.Context) error {
	present, err := s.specs.list()
	if err != nil {
		return err
	}
	for _, found := range s.specs.damage {
		klog.FromContext(ctx).Error(nil, "Kept what was corrupt under another name", "reason", found)
	}
	s.damage = append(s.damage, s.specs.damage...)
	for _, uid := range present {
		if _, ok := s.prepared.Claims[uid]; !ok {
			if err := s.removeSpec(uid); err != nil {
				return err
			}
		}
	}
	if fault.DoesNotRestoreSpecs {
		return nil
	}
	for uid, claim := range s.prepared.Claims {
		if err := s.writeSpec(uid, claim); err != nil {
			return err
		}
	}
	return nil
}

// Prepared returns the claims that are prepared, as <namespace>/<name>, sorted.
func (s *Store) Prepared() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return s.names()
}

// Described returns the claims for which there is a CDI spec, as Prepared does, or
// by their UIDs if they are not prepared. It is an error if the folder cannot be
// read.
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

// Retire refuses claims from now on, unless some are prepared: these it returns,
// and changes nothing.
func (s *Store) Retire() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	s.retired = len(s.prepared.Claims) == 0
	return s.names()
}
