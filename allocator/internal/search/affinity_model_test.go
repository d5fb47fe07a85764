// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"slices"
	"strings"
)

// sharingModel is a small model of devices with sharing affinity. It implements the rules of the KEP without the
// code under test. Values are "a" and "b", "-" for a missing key and "1" for a value that is not a string.
type sharingModel struct {
	devices  []modelDevice
	requests []modelRequest
	pack     bool
}

type modelDevice struct {
	keys   []int
	shared bool
	slots  int
	held   []string // The values of active claims.
}

type modelRequest struct {
	claim        int
	alternatives []modelAlternative
}

type modelAlternative struct {
	count, slots int
	devices      int // A bit per device.
	states       string
}

// modelKeys are the keys that devices declare. The values of a request have one letter for each key.
var modelKeys = []string{"example.com/x", "example.com/y"}

// No entry, two entries, and an entry that cannot be decoded.
const stateNone, stateTwice, stateBroken = "none", "twice", "broken"

// values returns the values for the keys of a device. ok is false if a value is missing or not a string.
func (d *modelDevice) values(states string) (values string, ok bool) {
	for _, key := range d.keys {
		if len(states) != len(modelKeys) || strings.Contains("-1", states[key:key+1]) {
			return "", false
		}
		values += states[key : key+1]
	}
	return values, true
}

// lock returns the values of the active claims, or "?" if they are unknown.
func (d *modelDevice) lock() (lock string) {
	for _, held := range d.held {
		values, ok := d.values(held)
		if !ok || lock != "" && values != lock {
			return "?"
		}
		lock = values
	}
	return lock
}

type modelPick struct{ request, alternative, device int }

func (m *sharingModel) alternative(p modelPick) *modelAlternative {
	return &m.requests[p.request].alternatives[p.alternative]
}

// allowed returns whether the last of the picks is compatible with the earlier ones.
func (m *sharingModel) allowed(picks []modelPick) bool {
	last := picks[len(picks)-1]
	a, d := m.alternative(last), &m.devices[last.device]
	if a.devices&(1<<last.device) == 0 {
		return false
	}
	used := len(d.held)
	values, ok := d.values(a.states)
	if len(d.keys) > 0 && (!ok || d.lock() != "" && d.lock() != values) {
		return false
	}
	for _, p := range picks[:len(picks)-1] {
		if p.device != last.device {
			continue
		}
		if others, _ := d.values(m.alternative(p).states); others != values {
			return false
		}
		used += m.alternative(p).slots
	}
	if !d.shared {
		return used == 0 && a.slots <= d.slots
	}
	return used+a.slots <= d.slots
}

// order returns the devices in the order in which they are tried.
func (m *sharingModel) order(a *modelAlternative) (order []int) {
	var rest []int
	for i := range m.devices {
		d := &m.devices[i]
		if values, ok := d.values(a.states); m.pack && len(d.keys) > 0 && ok && d.lock() == values {
			order = append(order, i)
		} else {
			rest = append(rest, i)
		}
	}
	return append(order, rest...)
}

// first returns the first solution by exhaustive search.
func (m *sharingModel) first(request int, picks []modelPick) []modelPick {
	if request == len(m.requests) {
		return picks
	}
	for k := range m.requests[request].alternatives {
		a := &m.requests[request].alternatives[k]
		order := m.order(a)
		var devices func(picks []modelPick, from, left int) []modelPick
		devices = func(picks []modelPick, from, left int) []modelPick {
			if left == 0 {
				return m.first(request+1, picks)
			}
			for i := from; i < len(order); i++ {
				next := append(slices.Clip(picks), modelPick{request, k, order[i]})
				if !m.allowed(next) {
					continue
				}
				if found := devices(next, i+1, left-1); found != nil {
					return found
				}
			}
			return nil
		}
		if found := devices(picks, 0, a.count); found != nil {
			return found
		}
	}
	return nil
}
