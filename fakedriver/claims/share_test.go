// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/describe"
)

const subnet = "net.example.com/subnet"

// newNICConfig returns the configuration of a node with two NICs on a card with
// 2 ports: a shared NIC with 4 slots that consumes 1 port, and a NIC that is
// not shared and consumes both.
func newNICConfig(t *testing.T) Config {
	config := newConfig(t)
	port := func(n int64) []resourceapi.DeviceCounterConsumption {
		return []resourceapi.DeviceCounterConsumption{{CounterSet: "card", Counters: map[string]resourceapi.Counter{"ports": {Value: *resource.NewQuantity(n, resource.DecimalSI)}}}}
	}
	config.Source = Fixed(node, &describe.Inventory{
		CounterSets: []resourceapi.CounterSet{{Name: "card", Counters: port(2)[0].Counters}},
		Devices: []resourceapi.Device{
			{
				Name:                     "shared",
				AllowMultipleAllocations: ptr.To(true),
				Capacity:                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"slots": {Value: resource.MustParse("4")}},
				ConsumesCounters:         port(1),
			},
			{Name: "whole", ConsumesCounters: port(2)},
			{Name: "unlimited", AllowMultipleAllocations: ptr.To(true)},
		},
	})
	return config
}

// newShare returns a claim for some slots of a shared device.
func newShare(name, device, slots string) *resourceapi.ResourceClaim {
	claim := newClaim(name, device)
	result := &claim.Status.Allocation.Devices.Results[0]
	result.Request = "nic"
	result.ShareID = ptr.To(types.UID("share-of-" + name))
	if slots != "" {
		result.ConsumedCapacity = map[resourceapi.QualifiedName]resource.Quantity{"slots": resource.MustParse(slots)}
	}
	return claim
}

func TestShares(t *testing.T) {
	g := NewWithT(t)
	config := newNICConfig(t)
	store := open(t, config)
	for _, claim := range []*resourceapi.ResourceClaim{newShare("a", "shared", "1"), newShare("b", "shared", "2"), newShare("c", "unlimited", ""), newShare("d", "unlimited", "")} {
		_, err := store.Prepare(t.Context(), claim)
		g.Expect(err).NotTo(HaveOccurred(), claim.Name)
	}
	g.Expect(injected(t, config)).To(HaveLen(4))
	g.Expect(store.Partitions()).To(Equal(Partitions{Created: 1, Live: []Partition{{Device: "shared", Claims: []string{"default/a", "default/b"}}}}))

	_, err := store.Prepare(t.Context(), newShare("late", "shared", "2"))
	g.Expect(err).To(MatchError(ContainSubstring("request nic: share of device shared needs 2 of capacity slots, 1 is left; the rest is used by claim default/a, claim default/b")))
	store = open(t, config)
	_, err = store.Prepare(t.Context(), newShare("late", "shared", "2"))
	g.Expect(err).To(MatchError(ContainSubstring("1 is left; the rest is used by")), "after a restart, too")
	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
	_, err = store.Prepare(t.Context(), newShare("late", "shared", "2"))
	g.Expect(err).NotTo(HaveOccurred())
}

func TestSharesAreRejected(t *testing.T) {
	for _, test := range []struct {
		name    string
		held    *resourceapi.ResourceClaim
		claim   func() *resourceapi.ResourceClaim
		message string
	}{
		{"more than the capacity of the device", nil, func() *resourceapi.ResourceClaim { return newShare("late", "shared", "5") }, "needs 5 of capacity slots, 4 is left"},
		{"a capacity that the device lacks", nil, func() *resourceapi.ResourceClaim {
			claim := newShare("late", "shared", "1")
			claim.Status.Allocation.Devices.Results[0].ConsumedCapacity["bandwidth"] = resource.MustParse("1")
			return claim
		}, "device shared has no capacity bandwidth"},
		{"an unlisted capacity of a device in use", newShare("holder", "shared", "1"), func() *resourceapi.ResourceClaim { return newShare("late", "shared", "") }, "needs 4 of capacity slots, 3 is left"},
		{"a device whose share does not list the capacity", newShare("holder", "shared", ""), func() *resourceapi.ResourceClaim { return newShare("late", "shared", "1") }, "0 is left"},
		{"the same share", newShare("holder", "shared", "1"), func() *resourceapi.ResourceClaim {
			claim := newShare("late", "shared", "1")
			claim.Status.Allocation.Devices.Results[0].ShareID = ptr.To(types.UID("share-of-holder"))
			return claim
		}, "share share-of-holder of device shared is held by claim default/holder"},
		{"all of a device that is shared", newShare("holder", "shared", "1"), func() *resourceapi.ResourceClaim { return newClaim("late", "shared") }, "device shared is held by claim default/holder"},
		{"a share of a device that is held entirely", newClaim("holder", "shared"), func() *resourceapi.ResourceClaim { return newShare("late", "shared", "1") }, "device shared is held by claim default/holder"},
		{"a share of a device that allows none", newShare("holder", "whole", ""), func() *resourceapi.ResourceClaim { return newShare("late", "whole", "") }, "device whole is held by claim default/holder"},
		{"counters that shares consume", newShare("holder", "shared", "1"), func() *resourceapi.ResourceClaim { return newClaim("late", "whole") }, "needs 2 of counter ports in counter set card, 1 is left; the rest is used by device shared of claim default/holder"},
		{"a share whose counters are consumed", newClaim("holder", "whole"), func() *resourceapi.ResourceClaim { return newShare("late", "shared", "1") }, "needs 1 of counter ports in counter set card, 0 is left"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			store := open(t, newNICConfig(t))
			if test.held != nil {
				_, err := store.Prepare(t.Context(), test.held)
				g.Expect(err).NotTo(HaveOccurred())
			}
			_, err := store.Prepare(t.Context(), test.claim())
			g.Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
}

// Guards that the counters of a shared device are consumed once, regardless of
// the number of shares.
func TestSharesConsumeCountersOnce(t *testing.T) {
	g := NewWithT(t)
	store := open(t, newNICConfig(t))
	for i := range 3 {
		_, err := store.Prepare(t.Context(), newShare(fmt.Sprint("claim-", i), "shared", "1"))
		g.Expect(err).NotTo(HaveOccurred())
	}
}

// withSubnet adds an entry that states a subnet for all requests.
func withSubnet(claim *resourceapi.ResourceClaim, value string) *resourceapi.ResourceClaim {
	return withConfig(claim, resourceapi.AllocationConfigSourceClaim, "resource.k8s.io",
		`{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":{"`+subnet+`":{"string":"`+value+`"}}}`)
}

func withConfig(claim *resourceapi.ResourceClaim, source resourceapi.AllocationConfigSource, driver, parameters string, requests ...string) *resourceapi.ResourceClaim {
	claim.Status.Allocation.Devices.Config = append(claim.Status.Allocation.Devices.Config, resourceapi.DeviceAllocationConfiguration{
		Source: source, Requests: requests,
		DeviceConfiguration: resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
			Driver: driver, Parameters: runtime.RawExtension{Raw: []byte(parameters)},
		}},
	})
	return claim
}

// requiringSubnet adds the rule that all claims on the shared device must state the
// same subnet.
func requiringSubnet(config Config, declared bool) Config {
	config.Affinity = func(context.Context) (map[string]affinity.Rule, error) {
		return map[string]affinity.Rule{"shared": {Declaration: affinity.Declaration{AttributeKeys: []string{subnet}}, Declared: declared}}, nil
	}
	return config
}

// The cases are the driver's column of the compatibility matrix in KEP-5981.
func TestAffinity(t *testing.T) {
	none, a, b := "", "a", "b"
	for _, test := range []struct {
		name     string
		declared bool
		held     string
		wanted   string
		message  string
	}{
		{"standard, the first", true, none, a, ""},
		{"standard, the same", true, a, a, ""},
		{"standard, another", true, a, b, `device shared is shared with claim default/holder: it has "a" for key ` + subnet + `, not "b"`},
		{"strict gating", true, a, none, "request nic: device shared: no StructuredParameters entry targets the request"},
		{"permissive, the same", false, a, a, ""},
		{"permissive, another", false, a, b, `it has "a" for key ` + subnet},
		{"legacy", false, a, none, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			store := open(t, requiringSubnet(newNICConfig(t), test.declared))
			if test.held != none {
				_, err := store.Prepare(t.Context(), withSubnet(newShare("holder", "shared", "1"), test.held))
				g.Expect(err).NotTo(HaveOccurred())
			}
			claim := newShare("late", "shared", "1")
			if test.wanted != none {
				claim = withSubnet(claim, test.wanted)
			}
			_, err := store.Prepare(t.Context(), claim)
			if test.message == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
}

// Guards a rule that is added while the device is in use. The device accepts
// claims that agree with the values that its claims stated before. It accepts
// no claim while a claim without values is prepared.
func TestAffinityOfADeviceInUse(t *testing.T) {
	g := NewWithT(t)
	config := newNICConfig(t)
	store := open(t, config)
	_, err := store.Prepare(t.Context(), withSubnet(newShare("stated", "shared", "1"), "a"))
	g.Expect(err).NotTo(HaveOccurred())

	store = open(t, requiringSubnet(config, true))
	_, err = store.Prepare(t.Context(), withSubnet(newShare("other", "shared", "1"), "b"))
	g.Expect(err).To(MatchError(ContainSubstring(`it has "a"`)))
	_, err = store.Prepare(t.Context(), withSubnet(newShare("same", "shared", "1"), "a"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(store.Unprepare(t.Context(), "stated")).To(Succeed())
	g.Expect(store.Unprepare(t.Context(), "same")).To(Succeed())

	store = open(t, config)
	_, err = store.Prepare(t.Context(), newShare("legacy", "shared", "1"))
	g.Expect(err).NotTo(HaveOccurred())
	store = open(t, requiringSubnet(config, true))
	_, err = store.Prepare(t.Context(), withSubnet(newShare("late", "shared", "1"), "a"))
	g.Expect(err).To(MatchError(ContainSubstring("is shared with claim default/legacy: its value for key " + subnet + " is not known")))
	g.Expect(store.Unprepare(t.Context(), "legacy")).To(Succeed())
	_, err = store.Prepare(t.Context(), withSubnet(newShare("late", "shared", "1"), "a"))
	g.Expect(err).NotTo(HaveOccurred())
}

func TestAffinityContradictsTheDriversConfiguration(t *testing.T) {
	g := NewWithT(t)
	store := open(t, requiringSubnet(newNICConfig(t), true))
	claim := withConfig(withSubnet(newShare("a", "shared", "1"), "a"), resourceapi.AllocationConfigSourceClaim, driver,
		`{"attributes":{"`+subnet+`":{"string":"b"}}}`)
	_, err := store.Prepare(t.Context(), claim)
	g.Expect(err).To(MatchError(ContainSubstring(`the driver's own configuration has "b"`)))
}

func TestAffinityRulesThatCannotBeRead(t *testing.T) {
	g := NewWithT(t)
	config := newNICConfig(t)
	config.Affinity = func(context.Context) (map[string]affinity.Rule, error) { return nil, errors.New("unreachable") }
	store := open(t, config)
	_, err := store.Prepare(t.Context(), newShare("a", "shared", "1"))
	g.Expect(err).To(MatchError("prepare claim default/a: read the affinity rules of its devices: unreachable"))
	_, err = store.Prepare(t.Context(), newClaim("b", "whole"))
	g.Expect(err).NotTo(HaveOccurred(), "a device that is not shared has no rules")
}
