// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

// inAllSnapshots returns the findings of the newest snapshot that also exist in all
// other snapshots which a scheduler may have used for the fresh allocations.
// Findings that depend on a possibly missed state are dropped. fresh are the
// claims by name.
func (a *Auditor) inAllSnapshots(fresh map[string]*resourceapi.ResourceClaim, check func(snapshot) []finding) []finding {
	snapshots := a.snapshots()
	found := check(snapshots[len(snapshots)-1])
	seamless := a.seamless()
	for _, w := range snapshots[:len(snapshots)-1] {
		if len(found) == 0 {
			return nil
		}
		also := map[string]bool{}
		for _, f := range check(w) {
			also[f.key()] = true
		}
		found = slices.DeleteFunc(found, func(f finding) bool {
			return !also[f.key()] && (!seamless || !a.cannotAllocate(w, f.by(fresh)))
		})
	}
	unclear := a.unclear()
	return slices.DeleteFunc(found, func(f finding) bool {
		return slices.ContainsFunc(f.dependsOn, func(what string) bool { return unclear[what] })
	})
}

// snapshots returns the states that a scheduler may have used for the newest
// allocations, the newest one last. A scheduler may observe slices and other
// objects at different times.
func (a *Auditor) snapshots() []snapshot {
	var inventories []*Inventory
	var settings []*setting
	for _, l := range a.observations {
		if !slices.Contains(inventories, l.inventory) {
			inventories = append(inventories, l.inventory)
		}
		if !slices.Contains(settings, l.setting) {
			settings = append(settings, l.setting)
		}
	}
	var all []snapshot
	for _, inventory := range inventories {
		for _, s := range settings {
			all = append(all, snapshot{inventory, s})
		}
	}
	return all
}

// unclear returns the pools, classes and rules of which a state may have been missed.
func (a *Auditor) unclear() map[string]bool {
	all := map[string]bool{}
	for _, l := range a.observations[1:] {
		maps.Copy(all, l.unclear)
	}
	return all
}

// seamless reports whether all states of the slices since the first view are
// known.
func (a *Auditor) seamless() bool {
	return !slices.ContainsFunc(a.observations[1:], func(l observation) bool { return !l.seamless })
}

// cannotAllocate reports whether none of the claims can have been allocated in a
// snapshot, because each has a device that is not offered there. One claim that
// can have been allocated is enough to return false, as it may be the one that
// was allocated last. In the first snapshot, pools may have had other states
// shortly before, unless their driver is new.
func (a *Auditor) cannotAllocate(w snapshot, claims []*resourceapi.ResourceClaim) bool {
	return !slices.ContainsFunc(claims, func(c *resourceapi.ResourceClaim) bool {
		return !slices.ContainsFunc(Allocated(c), func(id DeviceID) bool {
			_, offered := w.inventory.devices[id]
			return !offered && (w.inventory != a.first || !w.inventory.hasDriver(id.Driver))
		})
	})
}

// hasDriver reports whether a driver offers any devices.
func (inv *Inventory) hasDriver(driver string) bool {
	for id := range inv.devices {
		if id.Driver == driver {
			return true
		}
	}
	return false
}

// key is equal for findings with the same cause in several snapshots.
func (f finding) key() string { return string(f.rule) + " " + f.about }

func (f finding) isFaultOf(fresh map[string]*resourceapi.ResourceClaim) bool {
	return slices.ContainsFunc(f.causes, func(claimNames []string) bool {
		return !slices.ContainsFunc(claimNames, func(name string) bool { return fresh[name] == nil })
	})
}

// by returns the fresh claims that a finding is about.
func (f finding) by(fresh map[string]*resourceapi.ResourceClaim) []*resourceapi.ResourceClaim {
	var claims []*resourceapi.ResourceClaim
	for _, name := range slices.Concat(f.causes...) {
		if c := fresh[name]; c != nil {
			claims = append(claims, c)
		}
	}
	return claims
}
