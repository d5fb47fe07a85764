// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/structured"
	"pgregory.net/rapid"

	"github.com/draconform/draconform/allocator/internal/affinity"
	"github.com/draconform/draconform/allocator/internal/search"
)

// declare adds the keys of devices to the annotation of a slice.
func declare(slice *resourceapi.ResourceSlice, keys map[string][]string) {
	declared := map[string]map[string][]string{}
	for device, list := range keys {
		declared[device] = map[string][]string{"attributeKeys": list}
	}
	text, err := json.Marshal(declared)
	if err != nil {
		panic(err)
	}
	metav1.SetMetaDataAnnotation(&slice.ObjectMeta, affinity.Annotation, string(text))
}

// stated returns the configuration for some requests with the values of the model.
func stated(states string, requests ...string) []resourceapi.DeviceClaimConfiguration {
	attributes := map[string]any{"example.com/other": map[string]int{"int": 1}}
	for i, key := range modelKeys {
		if len(states) != len(modelKeys) {
			break
		}
		switch value := states[i : i+1]; value {
		case "-":
		case "1":
			attributes[key] = map[string]int{"int": 1}
		default:
			attributes[key] = map[string]string{"string": value}
		}
	}
	text, err := json.Marshal(map[string]any{"apiVersion": affinity.EntryAPIVersion, "kind": affinity.EntryKind, "attributes": attributes})
	if err != nil {
		panic(err)
	}
	n := 1
	switch states {
	case stateNone:
		n = 0
	case stateTwice:
		n = 2
	case stateBroken:
		text = []byte("{")
	}
	var list []resourceapi.DeviceClaimConfiguration
	for range n {
		list = append(list, resourceapi.DeviceClaimConfiguration{Requests: requests, DeviceConfiguration: resourceapi.DeviceConfiguration{
			Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: affinity.EntryDriver, Parameters: runtime.RawExtension{Raw: text}},
		}})
	}
	return list
}

// holder returns an active claim.
func holder(id structured.DeviceID, share *types.UID, states string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{}
	claim.Status.Allocation = &resourceapi.AllocationResult{}
	d := &claim.Status.Allocation.Devices
	d.Results = []resourceapi.DeviceRequestAllocationResult{{
		Request: "r", Driver: id.Driver.String(), Pool: id.Pool.String(), Device: id.Device.String(), ShareID: share,
	}}
	for _, c := range stated(states, "r") {
		d.Config = append(d.Config, resourceapi.DeviceAllocationConfiguration{Requests: c.Requests, DeviceConfiguration: c.DeviceConfiguration})
	}
	return claim
}

// The search must find the same solution as an exhaustive search, with prunings from the start and without.
func TestSharingAffinityFollowsTheModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := drawSharing(rt)
		var want []string
		for _, pick := range m.first(0, nil) {
			want = append(want, fmt.Sprintf("dev-%d", pick.device))
		}
		for _, limits := range []search.Limits{{Steps: 1 << 20}, {Steps: 1 << 20, PruneAtOnce: true}} {
			p := m.problem(t)
			answer, found, _, err := search.Run(context.Background(), p, limits)
			if err != nil || found != (want != nil) || found && fmt.Sprint(deviceNames(p, answer)) != fmt.Sprint(want) {
				rt.Fatalf("%+v: want %v, got %v, %v (%+v)", limits, want, deviceNames(p, answer), err, *m)
			}
		}
	})
}

// contested returns shared devices that declare a key, and requests with different values. Requests with different
// values cannot share a device that declares the key.
func contested(t *testing.T, devicesDemand func(i int) bool, values ...string) (*world, func() *search.Problem) {
	w := &world{}
	list := devices(3, shared("2"))
	w.pool("nic", nil, list...)
	declared := map[string][]string{}
	for i := range list {
		if devicesDemand(i) {
			declared[list[i].Name] = modelKeys[:1]
		}
	}
	declare(w.slices[0], declared)
	for _, value := range values {
		r := exactly("nic", 1, func(r *resourceapi.ExactDeviceRequest) {
			r.Capacity = &resourceapi.CapacityRequirements{Requests: capacityOf("1")}
		})
		w.claim(r).Spec.Devices.Config = stated(value + "z")
	}
	return w, func() *search.Problem {
		p := w.problem(t)
		p.Affinity = search.NewAffinity(nil, p.Allocated, false)
		return p
	}
}

// Nodes whose devices differ only in the declared keys must not share an answer. Nodes with the same declarations
// must share it.
func TestNodesWithOtherDeclarationsAreNotEquivalent(t *testing.T) {
	for name, test := range map[string]struct {
		declares func(i int) bool
		key      string
		fit      bool
	}{
		"the same":      {func(int) bool { return true }, modelKeys[0], false},
		"another key":   {func(int) bool { return true }, modelKeys[1], true},
		"one declares":  {func(i int) bool { return i == 0 }, modelKeys[0], true},
		"none declares": {func(int) bool { return false }, modelKeys[0], true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			w, first := contested(t, func(int) bool { return true }, "a", "b", "c", "d")
			p := first()
			p.Memory = &search.Memory{}
			// Without a search, as with the lock bound, nothing would be stored.
			limits := search.Limits{Steps: 100_000, PruneAtOnce: true, Skip: search.PruneLocks}
			_, found, _, err := search.Run(context.Background(), p, limits)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(BeFalse(), "four values do not fit on three devices")
			w.move("other")
			declared := map[string][]string{}
			for i := range w.slices[0].Spec.Devices {
				if test.declares(i) {
					declared[w.slices[0].Spec.Devices[i].Name] = []string{test.key}
				}
			}
			declare(w.slices[0], declared)
			w.setNode(t, p, "other")
			_, found, _, err = search.Run(context.Background(), p, limits)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(found).To(Equal(test.fit))
		})
	}
}

// The values to which devices are locked are part of a situation. The first way to place two values fails. The
// opposite way has the same consumption and succeeds.
func TestSituationsDifferByLocks(t *testing.T) {
	for _, skip := range []search.Pruning{0, search.PruneLocks} {
		g := NewWithT(t)
		m := &sharingModel{devices: []modelDevice{{keys: []int{0}, shared: true, slots: 3}, {keys: []int{0}, shared: true, slots: 3}}}
		for i, states := range []string{"a-", "b-", "b-"} {
			devices := 3
			if i == 2 {
				devices = 1 // Only the first device.
			}
			m.requests = append(m.requests, modelRequest{claim: i, alternatives: []modelAlternative{{count: 1, slots: 1, devices: devices, states: states}}})
		}
		p := m.problem(t)
		answer, found, _, err := search.Run(context.Background(), p, search.Limits{Steps: 100_000, PruneAtOnce: true, Skip: skip})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(found).To(BeTrue())
		g.Expect(deviceNames(p, answer)).To(Equal([]string{"dev-1", "dev-0", "dev-0"}))
	}
}

// The nodes differ only in which device is preferred: one is locked to the requested value, the others declare
// no keys. So their answers differ.
func TestNodesWithOtherPreferredDevicesAreNotEquivalent(t *testing.T) {
	g := NewWithT(t)
	w, problem := contested(t, func(i int) bool { return i == 1 }, "a")
	p := problem()
	p.Memory = &search.Memory{}
	p.Affinity = search.NewAffinity(affinity.NewState([]*resourceapi.ResourceClaim{
		holder(structured.MakeDeviceID("nic", "pool", "dev-1"), nil, "a-"),
		holder(structured.MakeDeviceID("nic", "pool", "dev-2-third"), nil, "a-"),
	}), p.Allocated, true)
	limits := search.Limits{Steps: 100_000, PruneAtOnce: true}
	answer, _, _, err := search.Run(context.Background(), p, limits)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(deviceNames(p, answer)).To(Equal([]string{"dev-1"}))
	w.move("third")
	declare(w.slices[0], map[string][]string{"dev-2-third": modelKeys[:1]})
	w.setNode(t, p, "third")
	answer, _, _, err = search.Run(context.Background(), p, limits)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(deviceNames(p, answer)).To(Equal([]string{"dev-2-third"}))
}

// A request for several devices uses clean devices after the locked ones, including clean devices at earlier
// positions.
func TestPreferredDevicesComeBeforeAllOthersOfARequest(t *testing.T) {
	for _, atOnce := range []bool{false, true} {
		g := NewWithT(t)
		m := &sharingModel{pack: true}
		for i := range 3 {
			m.devices = append(m.devices, modelDevice{keys: []int{0}, shared: true, slots: 3})
			if i == 1 {
				m.devices[i].held = []string{"a-"}
			}
		}
		m.requests = []modelRequest{{alternatives: []modelAlternative{{count: 3, slots: 1, devices: 7, states: "a-"}}}}
		p := m.problem(t)
		answer, _, _, err := search.Run(context.Background(), p, search.Limits{Steps: 100_000, PruneAtOnce: atOnce})
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(deviceNames(p, answer)).To(Equal([]string{"dev-1", "dev-0", "dev-2"}))
	}
}

// Nine values do not fit on eight devices. The lock bound detects this immediately. Without it the search takes too
// long.
func TestMoreValuesThanDevicesNeedFewSteps(t *testing.T) {
	g := NewWithT(t)
	m := &sharingModel{}
	for range 8 {
		m.devices = append(m.devices, modelDevice{keys: []int{0}, shared: true, slots: 50})
	}
	for i := range 9 {
		m.requests = append(m.requests, modelRequest{claim: i, alternatives: []modelAlternative{{
			count: 1, slots: 1, devices: 1<<8 - 1, states: fmt.Sprintf("%c-", 'a'+i),
		}}})
	}
	_, found, stats, err := search.Run(context.Background(), m.problem(t), search.Limits{Steps: 30_000})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found).To(BeFalse())
	g.Expect(stats.Steps).To(BeNumerically("<", 6_000))
	_, _, _, err = search.Run(context.Background(), m.problem(t), search.Limits{Steps: 30_000, Skip: search.PruneLocks})
	g.Expect(err).To(MatchError(search.ErrBudget))
}
