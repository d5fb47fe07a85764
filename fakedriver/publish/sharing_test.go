// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package publish_test

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
	"github.com/draconform/draconform/fakedriver/publish"
)

// mixed returns an inventory with devices that need one of the features, a
// device that needs both, and a device that needs none.
func mixed(t *testing.T) *describe.Inventory {
	t.Helper()
	compiled, err := describe.Compile([]byte(`
devices:
- name: card
  basic: {capacity: {ports: {quantity: 2}}}
- name: port
  composite: {capacity: {ports: {quantity: 1}}, consumesCapacityFrom: [{name: card}]}
- name: shared-port
  composite: {allowMultipleAllocations: true, capacity: {ports: {quantity: 1}}, consumesCapacityFrom: [{name: card}]}
- name: nic
  basic: {allowMultipleAllocations: true, sharingAffinity: {attributeKeys: [d.io/subnet]}, capacity: {slots: {value: 4, requestPolicy: {default: 1}}}}
- name: dedicated
  basic: {allowMultipleAllocations: false}
`))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return compiled
}

var everything = []string{"port", "shared-port", "card", "nic", "dedicated"}

func TestDetectProbesEachFeatureSeparately(t *testing.T) {
	onlyPlain := made(1, 1)
	for _, test := range []struct {
		name      string
		inventory *describe.Inventory
		options   []fakeapi.Option
		want      publish.Offer
	}{
		{"all features", mixed(t), nil, publish.Offer{}},
		{"no sharing", mixed(t), []fakeapi.Option{fakeapi.SharingOff}, publish.Offer{WithoutShared: true}},
		{"no sharing in 1.34", mixed(t), []fakeapi.Option{fakeapi.Kubernetes134, fakeapi.SharingOff}, publish.Offer{Form: publish.CountersWithDevices, WithoutShared: true}},
		{"sharing in 1.34", mixed(t), []fakeapi.Option{fakeapi.Kubernetes134}, publish.Offer{Form: publish.CountersWithDevices}},
		{"no counters", mixed(t), []fakeapi.Option{fakeapi.CountersOff}, publish.Offer{Form: publish.NoCounters}},
		{"neither", mixed(t), []fakeapi.Option{fakeapi.CountersOff, fakeapi.SharingOff}, publish.Offer{Form: publish.NoCounters, WithoutShared: true}},
		{"nothing shared, no sharing", onlyPlain, []fakeapi.Option{fakeapi.SharingOff}, publish.Offer{}},
		{"nothing to publish", &describe.Inventory{}, []fakeapi.Option{fakeapi.CountersOff, fakeapi.SharingOff}, publish.Offer{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			client := fakeapi.New(nil, test.options...).Client.ResourceV1().ResourceSlices()
			g.Expect(publish.Detect(t.Context(), client, driver, node, test.inventory)).To(Equal(test.want))
		})
	}
}

// Guards that shared devices are not omitted if the API server rejects them as
// invalid. Omitting them would hide an error in the devices.
func TestDetectReportsInvalidSharedDevices(t *testing.T) {
	g := NewWithT(t)
	server := fakeapi.New(nil)
	server.Client.PrependReactor("create", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		for _, device := range action.(clienttesting.CreateAction).GetObject().(*resourceapi.ResourceSlice).Spec.Devices {
			if device.AllowMultipleAllocations != nil {
				return true, nil, apierrors.NewInvalid(schema.GroupKind{Kind: "ResourceSlice"}, "x", nil)
			}
		}
		return false, nil, nil
	})
	_, err := publish.Detect(t.Context(), server.Client.ResourceV1().ResourceSlices(), driver, node, mixed(t))
	g.Expect(err).To(MatchError(ContainSubstring("the API server rejects devices that allow multiple allocations: ")))

	server.Client.PrependReactor("create", "resourceslices", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("connection refused")
	})
	_, err = publish.Detect(t.Context(), server.Client.ResourceV1().ResourceSlices(), driver, node, made(0, 0))
	g.Expect(err).NotTo(HaveOccurred(), "no request is needed")
}

// deviceNames returns the names of the devices in the API server.
func (c *cluster) deviceNames() []string {
	var names []string
	for _, slice := range c.stored(c.g) {
		for _, device := range slice.Spec.Devices {
			names = append(names, device.Name)
		}
	}
	return names
}

func (c *cluster) eventuallyHasDevices(devices ...string) {
	c.g.Eventually(func() ([]string, error) { return c.deviceNames(), c.publisher.Err() }, "1m", "20ms").Should(Equal(devices))
}

// neverStoredUnsharedDevices checks that no shared device was ever
// stored without allowMultipleAllocations. Otherwise the first claim would be
// allocated the whole device.
func (c *cluster) neverStoredUnsharedDevices() {
	for _, action := range c.server.Client.Actions() {
		create, ok := action.(clienttesting.CreateActionImpl)
		if !ok || len(create.CreateOptions.DryRun) > 0 {
			continue
		}
		for _, device := range create.GetObject().(*resourceapi.ResourceSlice).Spec.Devices {
			c.g.Expect(device.Name).NotTo(BeElementOf("nic", "shared-port"), "was created without the feature")
		}
	}
}

func TestSharedDevicesAreNotPublishedWithoutTheFeature(t *testing.T) {
	for _, test := range []struct {
		name    string
		options []fakeapi.Option
		want    []string
	}{
		{"no sharing", []fakeapi.Option{fakeapi.SharingOff}, []string{"port", "card", "dedicated"}},
		{"neither sharing nor counters", []fakeapi.Option{fakeapi.CountersOff, fakeapi.SharingOff}, []string{"card", "dedicated"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := startWith(t, mixed(t), test.options...)
			c.eventuallyHasDevices(test.want...)
			c.neverStoredUnsharedDevices()
		})
	}
}

func TestPublisherFollowsTheSharingFeature(t *testing.T) {
	t.Parallel()
	c := startWith(t, mixed(t), fakeapi.SharingOff)
	c.eventuallyHasDevices("port", "card", "dedicated")
	c.server.Change(fakeapi.SharingOn)
	c.eventuallyHasDevices(everything...)
	c.server.Change(fakeapi.SharingOff)
	c.eventuallyHasDevices("port", "card", "dedicated")
}

// Guards that a node whose only device is shared counts as published without
// that device.
func TestNodeWithOnlySharedDevices(t *testing.T) {
	t.Parallel()
	nic, err := describe.Compile([]byte("devices: [{name: nic, basic: {allowMultipleAllocations: true}}]"))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	c := startWith(t, nic, fakeapi.SharingOff)
	c.eventuallyHasDevices()
	c.server.Change(fakeapi.SharingOn)
	c.eventuallyHasDevices("nic")
	c.server.Change(fakeapi.SharingOff)
	c.eventuallyHasDevices()
}

// Guards that a device whose fields were dropped in spite of a dry run is
// published again only after a dry run has shown that the API server lacks the
// feature and a later one has shown that it has the feature. The other feature
// is not affected.
func TestDroppedSharingLeavesPartitions(t *testing.T) {
	t.Parallel()
	c := startWith(t, mixed(t), fakeapi.SharingOnlyInDryRun)
	c.eventuallyHasDevices("port", "card", "dedicated")
	c.g.Consistently(func() []string { return c.deviceNames() }, "300ms", "10ms").ShouldNot(ContainElement("nic"), "an earlier dry run was wrong")

	c.server.Change(fakeapi.SharingOff)
	asked := len(c.server.Client.Actions())
	c.g.Eventually(func() int { return len(c.server.Client.Actions()) }, "1m", "10ms").Should(BeNumerically(">", asked+10))
	c.server.Change(fakeapi.SharingOn)
	c.eventuallyHasDevices(everything...)
}
