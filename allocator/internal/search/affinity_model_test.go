// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/allocator/internal/search"
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

func drawSharing(t *rapid.T) *sharingModel {
	states := rapid.SampledFrom([]string{"aa", "aa", "ab", "ba", "bb", "a-", "-b", "a1", stateNone, stateTwice, stateBroken})
	m := &sharingModel{pack: rapid.Bool().Draw(t, "pack")}
	for range rapid.IntRange(1, 4).Draw(t, "devices") {
		d := modelDevice{
			keys: rapid.SampledFrom([][]int{nil, {0}, {1}, {0, 1}, {0}}).Draw(t, "keys"), shared: rapid.IntRange(0, 3).Draw(t, "shared") > 0,
			slots: rapid.IntRange(1, 4).Draw(t, "slots"),
		}
		for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "held") {
			if len(d.held) < d.slots && (d.shared || len(d.held) == 0) {
				d.held = append(d.held, states.Draw(t, "stated by active claim"))
			}
		}
		m.devices = append(m.devices, d)
	}
	all := 1<<len(m.devices) - 1
	claim := 0
	for range rapid.IntRange(1, 5).Draw(t, "requests") {
		claim += rapid.IntRange(0, 1).Draw(t, "next claim")
		r := modelRequest{claim: claim}
		for range rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "alternatives") {
			r.alternatives = append(r.alternatives, modelAlternative{
				count: rapid.SampledFrom([]int{1, 1, 2}).Draw(t, "count"), slots: rapid.IntRange(1, 2).Draw(t, "request slots"),
				devices: rapid.SampledFrom([]int{all, rapid.IntRange(1, all).Draw(t, "some")}).Draw(t, "devices"), states: states.Draw(t, "states"),
			})
		}
		m.requests = append(m.requests, r)
	}
	return m
}

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

// problem converts the model to API objects.
func (m *sharingModel) problem(t *testing.T) *search.Problem {
	w := &world{}
	state := structured.AllocatedState{AllocatedDevices: sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](), AggregatedCapacity: structured.NewConsumedCapacityCollection()}
	var holders []*resourceapi.ResourceClaim
	declared := map[string][]string{}
	list := devices(len(m.devices), func(i int, d *resourceapi.Device) {
		from := &m.devices[i]
		d.AllowMultipleAllocations = &from.shared
		d.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"bit": {IntValue: ptr.To(int64(i))}}
		d.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"slots": {Value: *resource.NewQuantity(int64(from.slots), resource.DecimalSI)}}
		for _, key := range from.keys {
			declared[d.Name] = append(declared[d.Name], modelKeys[key])
		}
		id := structured.MakeDeviceID("d", "pool", d.Name)
		for j, states := range from.held {
			share := (*types.UID)(nil)
			if from.shared {
				share = ptr.To(types.UID(fmt.Sprint(i, j)))
				state.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, share))
				state.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, capacityOf("1")))
			} else {
				state.AllocatedDevices.Insert(id)
			}
			holders = append(holders, holder(id, share, states))
		}
	})
	w.pool("d", nil, list...)
	declare(w.slices[0], declared)
	w.state = state
	m.claims(w)
	p := w.problem(t)
	p.Affinity = search.NewAffinity(affinity.NewState(holders), p.Allocated, m.pack)
	return p
}

func (m *sharingModel) claims(w *world) {
	for c := range m.requests[len(m.requests)-1].claim + 1 {
		var requests []resourceapi.DeviceRequest
		var config []resourceapi.DeviceClaimConfiguration
		for i := range m.requests {
			if m.requests[i].claim != c {
				continue
			}
			var list []resourceapi.DeviceRequest
			for k := range m.requests[i].alternatives {
				a := &m.requests[i].alternatives[k]
				list = append(list, exactly(anyClass, int64(a.count), selecting(a.selector(len(m.devices)))))
				name := fmt.Sprintf("r%d", len(requests))
				if len(m.requests[i].alternatives) > 1 {
					name += fmt.Sprintf("/s%d", k)
				}
				config = append(config, stated(a.states, name)...)
			}
			r := list[0]
			if len(list) > 1 {
				r = firstAvailable(list...)
			}
			for k := range m.requests[i].alternatives {
				want := &resourceapi.CapacityRequirements{Requests: capacityOf(fmt.Sprint(m.requests[i].alternatives[k].slots))}
				if len(list) > 1 {
					r.FirstAvailable[k].Capacity = want
				} else {
					r.Exactly.Capacity = want
				}
			}
			requests = append(requests, r)
		}
		w.claim(requests...).Spec.Devices.Config = config
	}
}

func (a *modelAlternative) selector(n int) string {
	var bits []string
	for i := range n {
		if a.devices&(1<<i) != 0 {
			bits = append(bits, fmt.Sprint(i))
		}
	}
	return fmt.Sprintf(`device.attributes["d"].bit in [%s]`, strings.Join(bits, ","))
}
