// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
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
