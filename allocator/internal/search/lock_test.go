// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/structured"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/allocator/internal/search"
)

// onlyLocks disables all prunings except the lock bound.
var onlyLocks = search.Limits{Steps: 10_000, PruneAtOnce: true, Skip: search.AllPrunings &^ search.PruneLocks}

// contestants returns shared devices that declare a key.
func contestants(n int, held ...string) []modelDevice {
	list := make([]modelDevice, n)
	for i := range list {
		list[i] = modelDevice{keys: []int{0}, shared: true, slots: 3}
	}
	if len(held) > 0 {
		list[0].held = held
	}
	return list
}

// stating returns a request in a claim of its own for one of some devices. Each alternative states other values.
func stating(claim, devices int, states ...string) modelRequest {
	r := modelRequest{claim: claim}
	for _, s := range states {
		r.alternatives = append(r.alternatives, modelAlternative{count: 1, slots: 1, devices: devices, states: s})
	}
	return r
}

// needing returns a request for a number of devices.
func needing(n int, r modelRequest) modelRequest {
	for i := range r.alternatives {
		r.alternatives[i].count = n
	}
	return r
}

func TestLocks(t *testing.T) {
	for name, test := range map[string]struct {
		model sharingModel
		want  []string
	}{
		// Both requests can have the device, with the second alternative.
		"alternatives with different values": {sharingModel{devices: contestants(1), requests: []modelRequest{
			stating(0, 0b1, "a-", "b-"), stating(1, 0b1, "b-"),
		}}, []string{"dev-0", "dev-0"}},
		"alternatives with different values, the first of which fits": {sharingModel{devices: contestants(1), requests: []modelRequest{
			stating(0, 0b1, "a-", "b-"), stating(1, 0b1, "a-"),
		}}, []string{"dev-0", "dev-0"}},
		"a request that also needs a device without keys": {sharingModel{devices: append(contestants(1), modelDevice{slots: 1}), requests: []modelRequest{
			stating(0, 0b01, "a-"), stating(1, 0b01, "a-", "b-"), needing(2, stating(2, 0b11, "a-")),
		}}, []string{"dev-0", "dev-0", "dev-0", "dev-1"}},
		// The lock of the first device ends when both of its shares are taken back.
		"a lock of two shares that are taken back": {sharingModel{devices: contestants(2), requests: []modelRequest{
			stating(0, 0b11, "a-"), stating(1, 0b11, "a-"), stating(2, 0b01, "b-"),
		}}, []string{"dev-1", "dev-1", "dev-0"}},
		"the first device has another value": {sharingModel{devices: contestants(2, "b-"), requests: []modelRequest{
			stating(0, 0b11, "a-"),
		}}, []string{"dev-1"}},
		"the first device is preferred": {sharingModel{devices: contestants(2, "a-"), pack: true, requests: []modelRequest{
			stating(0, 0b11, "a-"),
		}}, []string{"dev-0"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, limits := range []search.Limits{{Steps: 10_000}, {Steps: 10_000, PruneAtOnce: true}, onlyLocks} {
				g := NewWithT(t)
				p := test.model.problem(t)
				for range 2 { // The second search finds stored results of selectors.
					answer, found, _, err := search.Run(t.Context(), p, limits)
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(found).To(BeTrue(), "%+v", limits)
					g.Expect(deviceNames(p, answer)).To(Equal(test.want), "%+v", limits)
				}
			}
		})
	}
}

// The bound proves that there is no fit before the first choice: each device is for one value.
func TestMoreValuesThanDevicesNeedNoChoice(t *testing.T) {
	g := NewWithT(t)
	m := &sharingModel{devices: contestants(16)}
	for i := range 17 {
		m.requests = append(m.requests, stating(i, 1<<16-1, fmt.Sprintf("%c-", 'a'+i)))
	}
	_, found, stats, err := search.Run(t.Context(), m.problem(t), onlyLocks)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(BeFalse())
	g.Expect(stats.Steps).To(BeNumerically("<", 20))
}

// With the first device, the last request has none. The bound finds this before the requests in between, which have
// many choices, try them.
func TestALockedDeviceIsForOneValueOnly(t *testing.T) {
	g := NewWithT(t)
	m := &sharingModel{devices: contestants(2)}
	for range 8 {
		m.devices = append(m.devices, modelDevice{slots: 1})
	}
	m.requests = []modelRequest{stating(0, 0b11, "a-")}
	for i := range 4 {
		m.requests = append(m.requests, stating(i+1, 0xff<<2, "a-"))
	}
	m.requests = append(m.requests, stating(5, 0b01, "b-"))
	p := m.problem(t)
	answer, found, stats, err := search.Run(t.Context(), p, onlyLocks)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(BeTrue())
	g.Expect(deviceNames(p, answer)).To(Equal([]string{"dev-1", "dev-2", "dev-3", "dev-4", "dev-5", "dev-0"}))
	g.Expect(stats.Steps).To(BeNumerically("<", 100))
}

// A device in the first word comes after the preferred device in the second word.
func TestPreferredDeviceBehindTheFirstWord(t *testing.T) {
	for _, limits := range []search.Limits{{}, {PruneAtOnce: true}} {
		g := NewWithT(t)
		w := &world{}
		w.pool("nic", nil, devices(67, shared("2"), attribute("kind", func(i int) string { return fmt.Sprint(i%66 == 0) }))...)
		declare(w.slices[0], map[string][]string{"dev-0": modelKeys[:1], "dev-66": modelKeys[:1]})
		w.claim(exactly("nic", 2, slots("1"), selecting(`device.attributes["nic"].kind == "true"`))).Spec.Devices.Config = stated("az")
		p := w.problem(t)
		holders := []*resourceapi.ResourceClaim{holder(structured.MakeDeviceID("nic", "pool", "dev-66"), nil, "a-")}
		p.Affinity = search.NewAffinity(affinity.NewState(holders), p.Allocated, true)
		limits.Steps = 10_000
		answer, found, _, err := search.Run(t.Context(), p, limits)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(found).To(BeTrue())
		g.Expect(deviceNames(p, answer)).To(Equal([]string{"dev-66", "dev-0"}))
	}
}
