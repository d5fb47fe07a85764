package affinity

import (
	"sync"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/fault"
)

// State is the active claims, of which the locks of devices are reconstructed. Nothing is done with a claim before
// a device that demands something is looked at. It is safe for concurrent use.
type State struct {
	claims []*resourceapi.ResourceClaim

	once    sync.Once
	holders map[structured.DeviceID][]*Entry
	shares  map[structured.SharedDeviceID]bool
}

// NewState returns the state that allocated claims make. The claims must not change afterwards.
func NewState(claims []*resourceapi.ResourceClaim) *State { return &State{claims: claims} }

// Lock is what the active claims of a device make of it. The zero value is a clean device.
type Lock struct {
	// Unknown says that the values of some claim are not known, or that claims contradict each other.
	// Nobody can join such a device until all of its claims are released.
	Unknown bool
	// Values are those of the claims, one for each key of the device; nil for a clean device.
	Values []string
}

// Lock reconstructs the lock of a device that declares the keys. It depends on nothing but the active
// claims: what a device publishes in its attributes does not count.
func (s *State) Lock(device structured.DeviceID, keys []string) Lock {
	if s == nil || fault.IgnoresLocks {
		return Lock{}
	}
	s.once.Do(s.gather)
	var lock Lock
	for _, entry := range s.holders[device] {
		values, problem := entry.Values(keys)
		if problem.Kind != None {
			return Lock{Unknown: true}
		}
		if lock.Values == nil {
			lock.Values = values
			continue
		}
		for i := range values {
			if values[i] != lock.Values[i] && !fault.LocksToOneOfSeveralValues {
				return Lock{Unknown: true}
			}
		}
	}
	return lock
}

// Knows tells whether one of the claims holds the device.
func (s *State) Knows(device structured.DeviceID) bool {
	if s == nil {
		return false
	}
	s.once.Do(s.gather)
	return len(s.holders[device]) > 0
}

// KnowsShare tells whether one of the claims holds the share.
func (s *State) KnowsShare(share structured.SharedDeviceID) bool {
	if s == nil {
		return false
	}
	s.once.Do(s.gather)
	return s.shares[share]
}

// gather finds out who holds what. Admin access holds nothing.
func (s *State) gather() {
	s.holders = map[structured.DeviceID][]*Entry{}
	s.shares = map[structured.SharedDeviceID]bool{}
	for _, claim := range s.claims {
		if claim.Status.Allocation == nil {
			continue
		}
		devices := &claim.Status.Allocation.Devices
		for _, result := range devices.Results {
			if ptr.Deref(result.AdminAccess, false) {
				continue
			}
			var entry *Entry
			for _, config := range resourceclaim.ConfigForResult(devices.Config, result) {
				entry = entry.Add(&config.DeviceConfiguration)
			}
			id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
			s.holders[id] = append(s.holders[id], entry)
			if result.ShareID != nil {
				s.shares[structured.MakeSharedDeviceID(id, result.ShareID)] = true
			}
		}
	}
}
