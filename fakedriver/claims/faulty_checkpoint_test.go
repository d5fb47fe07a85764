// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package claims

import (
	"reflect"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/internal/fault"
)

// withoutDevices is the source of a node that has lost all of its devices.
var withoutDevices = Fixed(node, &describe.Inventory{Devices: []resourceapi.Device{{Name: "substitute"}}})

func TestWrongDriverNeedsDevicesToUnprepare(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.NeedsDevicesToUnprepare)
		}
		store := open(t, newConfig(t))
		g.Expect(store.prepareAll(t, newClaim("before", small0), newClaim("claim", small1))).To(Succeed())
		g.Expect(store.Unprepare(t.Context(), "before")).To(Succeed())
		store.SetSource(withoutDevices)
		if err := store.Unprepare(t.Context(), "claim"); on {
			g.Expect(err).To(MatchError("unprepare claim claim: the node does not have its devices"))
		} else {
			g.Expect(err).NotTo(HaveOccurred())
		}
	}
}

func TestWrongDriverForgetsRemovedDevices(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.ForgetsRemovedDevices)
		}
		config := newConfig(t)
		g.Expect(open(t, config).prepareAll(t, newClaim("claim", small0))).To(Succeed())
		g.Expect(open(t, config).Prepared()).To(HaveLen(1), "the device is there")
		config.Source = withoutDevices
		g.Expect(open(t, config).Prepared()).To(HaveLen(map[bool]int{false: 1, true: 0}[on]))
	}
}

func TestWrongDriverLosesParallelClaims(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.LosesParallelClaims)
		}
		config := newConfig(t)
		config.Shared = true // the checkpoint is read again before each use
		store := open(t, config)
		g.Expect(store.prepareAll(t, newClaim("before", "gpu-0-mig-1g-5gb-2"))).To(Succeed())
		var calls sync.WaitGroup
		for claim, device := range map[string]string{"one": small0, "two": small1} {
			calls.Go(func() { g.Expect(store.prepareAll(t, newClaim(claim, device))).To(Succeed()) })
		}
		calls.Wait()
		again := open(t, config)
		g.Expect(again.Prepared()).To(And(HaveLen(map[bool]int{false: 3, true: 2}[on]), ContainElement("default/before")))
		g.Expect(again.Described()).To(Equal(again.Prepared()))
	}
}

func TestWrongDriverForgetsParallelUnprepares(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		config := newConfig(t)
		config.Shared = true // the checkpoint is read again before each use
		store := open(t, config)
		g.Expect(store.prepareAll(t, newClaim("one", small0), newClaim("two", small1))).To(Succeed())
		if on {
			turnOn(t, &fault.ForgetsParallelUnprepares)
		}
		var calls sync.WaitGroup
		for _, claim := range []types.UID{"one", "two"} {
			calls.Go(func() { g.Expect(store.Unprepare(t.Context(), claim)).To(Succeed()) })
		}
		calls.Wait()
		again := open(t, config)
		g.Expect(again.Prepared()).To(HaveLen(map[bool]int{false: 0, true: 1}[on]))
		g.Expect(again.Described()).To(Equal(again.Prepared()))
	}
}

func TestWrongDriversMisstateMetadata(t *testing.T) {
	for name, test := range map[string]struct {
		fault *bool
		// differ is whether the metadata of two devices differs, and again whether there
		// is metadata when the claim is prepared again.
		differ, again bool
	}{
		"none":         {new(bool), true, true},
		"first device": {&fault.GivesMetadataOfFirstDevice, false, true},
		"not stored":   {&fault.StoresNoMetadata, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			turnOn(t, test.fault)
			config, claim := newConfig(t), newClaim("claim", small0, small1)
			devices, err := open(t, config).Prepare(t.Context(), claim)
			g.Expect(err).NotTo(HaveOccurred())
			attributes := devices[0].Metadata.Attributes
			g.Expect(devices).To(HaveEach(HaveField("Metadata.Attributes", Not(BeEmpty()))))
			g.Expect(reflect.DeepEqual(devices[0].Metadata.Attributes, devices[1].Metadata.Attributes)).To(Equal(!test.differ))
			devices, err = open(t, config).Prepare(t.Context(), claim)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(devices).To(HaveEach(HaveField("Metadata.Attributes", HaveLen(map[bool]int{true: len(attributes), false: 0}[test.again]))))
		})
	}
}

func TestWrongDriverEditsForAllDevices(t *testing.T) {
	turnOn(t, &fault.EditsForAllDevices)
	g := NewWithT(t)
	store := open(t, newConfig(t))
	g.Expect(store.prepareAll(t, newClaim("claim", small0, small1))).To(Succeed())
	cache := store.specs.cache
	g.Expect(cache.Refresh()).To(Succeed())
	g.Expect(cache.ListDevices()).To(HaveLen(2))
	for _, id := range cache.ListDevices() {
		device := cache.GetDevice(id)
		g.Expect(device.ContainerEdits.Env).To(HaveLen(1))
		g.Expect(device.GetSpec().ContainerEdits.Env).To(HaveLen(2))
	}
}
