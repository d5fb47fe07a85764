// Package claims prepares and unprepares the claims of one node: it decides
// whether a claim may have the devices that were allocated for it, remembers
// that across restarts and describes them to the container runtime.
package claims

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/model"
)

// Config says whose claims a Store prepares and where it keeps its files.
type Config struct {
	// Driver is the name of the DRA driver. Results of other drivers in a
	// claim are ignored.
	Driver string
	// Pool is the only pool that the driver publishes on this node.
	Pool string
	// Inventory is what the pool has.
	Inventory *model.Inventory
	// DataDir holds the checkpoint. It must exist.
	DataDir string
	// CDIDir is where the container runtime looks for CDI specs.
	CDIDir string
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

	mu       sync.Mutex
	prepared checkpoint

	// The steps that change files. Tests interrupt them.
	save       func(checkpoint) error
	writeSpec  func(types.UID, preparedClaim) error
	removeSpec func(types.UID) error

	specs *specDir
}

// Open reads the checkpoint and makes the CDI specs agree with it: those that
// belong to no prepared claim are removed, all others are written.
func Open(config Config) (*Store, error) {
	specs, err := newSpecDir(config.CDIDir, config.Driver)
	if err != nil {
		return nil, err
	}
	prepared, err := loadCheckpoint(config.DataDir)
	if err != nil {
		return nil, err
	}
	store := &Store{
		config:     config,
		prepared:   prepared,
		save:       func(c checkpoint) error { return c.save(config.DataDir) },
		writeSpec:  specs.write,
		removeSpec: specs.remove,
		specs:      specs,
	}
	if err := store.restore(); err != nil {
		return nil, fmt.Errorf("recover prepared claims: %w", err)
	}
	return store, nil
}

// restore is the second half of Open.
func (s *Store) restore() error {
	present, err := s.specs.list()
	if err != nil {
		return err
	}
	for _, uid := range present {
		if _, ok := s.prepared.Claims[uid]; !ok {
			if err := s.removeSpec(uid); err != nil {
				return err
			}
		}
	}
	for uid, claim := range s.prepared.Claims {
		if err := s.writeSpec(uid, claim); err != nil {
			return err
		}
	}
	return nil
}

// Prepare makes the devices that were allocated for a claim available to
// containers and returns them. Preparing a claim again returns the same. If it
// fails, the claim holds nothing.
//
// It fails when a device is unknown or is held by another claim, and when the
// counters of its GPU do not suffice beside those of the claims prepared so
// far: that is how a scheduler's mistake is kept from doing harm. Devices
// allocated with admin access neither count nor are counted.
func (s *Store) Prepare(claim *resourceapi.ResourceClaim) ([]kubeletplugin.Device, error) {
	s.mu.Lock()
	defer s.mu.Unlock()

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
	if err := s.describe(wanted); err != nil {
		return nil, err
	}
	if err := s.admit(wanted); err != nil {
		return nil, err
	}
	if err := s.commit(func(claims map[types.UID]preparedClaim) { claims[claim.UID] = wanted }); err != nil {
		return nil, err
	}
	if err := s.writeSpec(claim.UID, wanted); err != nil {
		if undo := s.commit(func(claims map[types.UID]preparedClaim) { delete(claims, claim.UID) }); undo != nil {
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
	if !slices.EqualFunc(before.Devices, wanted.Devices, same) {
		return nil, fmt.Errorf("prepare claim %s: it was prepared with other devices and must be unprepared first", wanted)
	}
	if err := s.writeSpec(uid, before); err != nil {
		return nil, err
	}
	return s.result(before), nil
}

// Unprepare undoes Prepare. It is no error if the claim is not prepared.
func (s *Store) Unprepare(uid types.UID) error {
	s.mu.Lock()
	defer s.mu.Unlock()

	if err := s.removeSpec(uid); err != nil {
		return fmt.Errorf("unprepare claim %s: %w", uid, err)
	}
	if _, ok := s.prepared.Claims[uid]; !ok {
		return nil
	}
	if err := s.commit(func(claims map[types.UID]preparedClaim) { delete(claims, uid) }); err != nil {
		return fmt.Errorf("unprepare claim %s: %w", uid, err)
	}
	return nil
}

// commit changes the checkpoint, in memory only if that worked on disk.
func (s *Store) commit(change func(map[types.UID]preparedClaim)) error {
	next := checkpoint{Version: checkpointVersion, Claims: maps.Clone(s.prepared.Claims)}
	change(next.Claims)
	if err := s.save(next); err != nil {
		return err
	}
	s.prepared = next
	return nil
}
