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
