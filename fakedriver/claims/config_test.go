// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/devenv"
)

const (
	fromClass = resourceapi.AllocationConfigSourceClass
	fromClaim = resourceapi.AllocationConfigSourceClaim
)

// Guards which configuration a container receives: the entries for this driver
// that apply to its request or to all requests, first those of the DeviceClass,
// otherwise in their order.
func TestConfigsOfAContainer(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	claim := newClaim("a", small0, half4)
	claim.Status.Allocation.Devices.Results[1].Request = "gpu/large"
	for _, c := range []struct {
		source     resourceapi.AllocationConfigSource
		driver     string
		parameters string
		requests   []string
	}{
		{fromClaim, driver, `{"for": "all"}`, nil},
		{fromClass, driver, `{"class": 1}`, []string{"for-" + small0}},
		{fromClaim, "other.example.com", `{"other": true}`, nil},
		{fromClaim, driver, `{"for": "large"}`, []string{"gpu/large"}},
		{fromClaim, driver, `{"for": "gpu"}`, []string{"x", "gpu"}},
		{fromClaim, driver, `{"for": "small"}`, []string{"gpu/small"}},
		{fromClass, driver, `{"class": 2}`, nil},
	} {
		claim = withConfig(claim, c.source, c.driver, c.parameters, c.requests...)
	}
	store := open(t, config)
	_, err := store.Prepare(t.Context(), claim)
	g.Expect(err).NotTo(HaveOccurred())

	want := map[string][]string{
		small0: {`FromClass {"class":1}`, `FromClass {"class":2}`, `FromClaim {"for":"all"}`},
		half4:  {`FromClass {"class":2}`, `FromClaim {"for":"all"}`, `FromClaim {"for":"large"}`, `FromClaim {"for":"gpu"}`},
	}
	check := func(when string) {
		got := map[string][]string{}
		for _, device := range injected(t, config) {
			for _, c := range device.Configs {
				got[device.Device] = append(got[device.Device], c.Source+" "+string(c.Parameters))
			}
		}
		g.Expect(got).To(Equal(want), when)
	}
	check("after Prepare")
	open(t, config)
	check("after a restart")
}

// Kubernetes limits the size of one set of parameters. It does not limit the
// total size to what fits into an environment variable.
func TestConfigThatIsTooLong(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	claim := newClaim("a", small0)
	for range 20 {
		claim = withConfig(claim, fromClaim, driver, `{"text":"`+strings.Repeat("x", 10_000)+`"}`)
	}
	_, err := open(t, config).Prepare(t.Context(), claim)
	g.Expect(err).To(MatchError(ContainSubstring("prepare claim default/a, request for-" + small0 + ": encode device " + small0)))
	g.Expect(files(t, config)).To(BeEmpty())

	_, err = open(t, config).Prepare(t.Context(), withConfig(newClaim("a", small0), fromClaim, driver, `{`))
	g.Expect(err).To(MatchError(ContainSubstring("decode parameters FromClaim")))
}

func TestAttributesForTheStandardMetadata(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	first, err := open(t, config).Prepare(t.Context(), newClaim("a", small0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(first[0].Metadata.Attributes).To(HaveKeyWithValue("profile", resourceapi.DeviceAttribute{StringValue: ptr.To("1g.5gb")}))
	g.Expect(first[0].Metadata.Attributes).To(HaveKeyWithValue("placement", resourceapi.DeviceAttribute{IntValue: ptr.To[int64](0)}))
	again, err := open(t, config).Prepare(t.Context(), newClaim("a", small0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(Equal(first), "after a restart")
}

func TestPartitionsAreCounted(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	store := open(t, config)
	g.Expect(store.Partitions()).To(Equal(Partitions{}))
	_, err := store.Prepare(t.Context(), newClaim("b", small0, half4))
	g.Expect(err).NotTo(HaveOccurred())
	_, err = store.Prepare(t.Context(), newClaim("a", small1))
	g.Expect(err).NotTo(HaveOccurred())
	_, err = store.Prepare(t.Context(), newClaim("a", small1))
	g.Expect(err).NotTo(HaveOccurred(), "a repeated call creates no partition")
	_, err = store.Prepare(t.Context(), newClaim("rejected", small1))
	g.Expect(err).To(HaveOccurred())
	g.Expect(store.Partitions()).To(Equal(Partitions{Created: 3, Live: []Partition{
		{Device: small0, Claims: []string{"default/b"}}, {Device: small1, Claims: []string{"default/a"}}, {Device: half4, Claims: []string{"default/b"}},
	}}))

	g.Expect(store.Unprepare(t.Context(), "b")).To(Succeed())
	g.Expect(store.Unprepare(t.Context(), "b")).To(Succeed())
	store = open(t, config)
	g.Expect(store.Partitions()).To(Equal(Partitions{Created: 3, Destroyed: 2, Live: []Partition{{Device: small1, Claims: []string{"default/a"}}}}))
	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
	_, err = store.Prepare(t.Context(), newClaim("c", whole))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(store.Partitions()).To(Equal(Partitions{Created: 3, Destroyed: 3}), "a whole device is not a partition")
}

func TestAdminAccessCreatesNoPartition(t *testing.T) {
	g := NewWithT(t)
	store := open(t, newConfig(t))
	admin := newClaim("admin", small0)
	admin.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
	_, err := store.Prepare(t.Context(), admin)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(store.Partitions()).To(Equal(Partitions{}))
}

func TestSetSource(t *testing.T) {
	g := NewWithT(t)
	config := newNICConfig(t)
	store := open(t, config)
	_, err := store.Prepare(t.Context(), newClaim("a", "whole"))
	g.Expect(err).NotTo(HaveOccurred())
	store.SetSource(newConfig(t).Source)
	_, err = store.Prepare(t.Context(), newClaim("b", "unlimited"))
	g.Expect(err).To(MatchError(ContainSubstring("this node has no device")))
	_, err = store.Prepare(t.Context(), newClaim("b", small0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(store.Prepared()).To(Equal([]string{"default/a", "default/b"}))
	_, err = store.Prepare(t.Context(), newClaim("a", "whole"))
	g.Expect(err).NotTo(HaveOccurred(), "prepared claims are kept")
	g.Expect(devicesOf(injected(t, config))).To(ConsistOf("whole", small0))
}

func TestRetire(t *testing.T) {
	g := NewWithT(t)
	store := open(t, newConfig(t))
	_, err := store.Prepare(t.Context(), newClaim("a", small0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(store.Retire()).To(Equal([]string{"default/a"}))
	_, err = store.Prepare(t.Context(), newClaim("b", small1))
	g.Expect(err).NotTo(HaveOccurred(), "a driver with claims is not retired")

	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
	g.Expect(store.Unprepare(t.Context(), "b")).To(Succeed())
	g.Expect(store.Retire()).To(BeEmpty())
	_, err = store.Prepare(t.Context(), newClaim("c", small0))
	g.Expect(err).To(MatchError("prepare claim default/c: driver " + driver + " is being removed"))
	g.Expect(store.Unprepare(t.Context(), "never-seen")).To(Succeed())
}

func devicesOf(seen map[string]devenv.Device) []string {
	var names []string
	for _, device := range seen {
		names = append(names, device.Device)
	}
	return names
}
