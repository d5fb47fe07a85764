// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package claims

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/internal/fault"
)

// configsOfTwo returns how many configurations each of the two devices of a claim gets.
func configsOfTwo(t *testing.T, claim *resourceapi.ResourceClaim) []int {
	t.Helper()
	g := NewWithT(t)
	got, err := open(t, newConfig(t)).allocated(claim)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Devices).To(HaveLen(2))
	return []int{len(got.Devices[0].Configs), len(got.Devices[1].Configs)}
}

func TestWrongDriversConfigureSomeDevices(t *testing.T) {
	claim := newClaim("claim", small0, small1)
	config := resourceapi.DeviceAllocationConfiguration{Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: resourceapi.DeviceConfiguration{
		Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver, Parameters: runtime.RawExtension{Raw: []byte(`{}`)}},
	}}
	claim.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{config}
	for name, test := range map[string]struct {
		fault *bool
		want  []int
	}{
		"none":           {new(bool), []int{1, 1}},
		"first device":   {&fault.ConfiguresFirstDeviceOnly, []int{1, 0}},
		"named requests": {&fault.NeedsNamedRequests, []int{0, 0}},
	} {
		t.Run(name, func(t *testing.T) {
			turnOn(t, test.fault)
			NewWithT(t).Expect(configsOfTwo(t, claim)).To(Equal(test.want))
		})
	}
}

func TestWrongDriversMisreadParameters(t *testing.T) {
	claim := newClaim("claim", small0, small1)
	claim.Status.Allocation.Devices.Results[0].Request = "gpu/large"
	claim.Status.Allocation.Devices.Results[1].Request = "gpu-2"
	for _, c := range []struct{ driver, request string }{{driver, "gpu"}, {driver, "gpu/large"}, {"other.example.com", "gpu"}, {driver, "gpu-2"}} {
		claim = withConfig(claim, fromClaim, c.driver, `{}`, c.request)
	}
	for name, test := range map[string]struct {
		fault *bool
		want  []int
	}{
		"none":          {new(bool), []int{2, 1}},
		"before others": {&fault.StopsAtOtherParameters, []int{2, 0}},
		"by prefix":     {&fault.ConfiguresByPrefix, []int{2, 2}},
		"requests only": {&fault.IgnoresSubrequestParameters, []int{1, 1}},
		"last":          {&fault.KeepsLastParameters, []int{0, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			turnOn(t, test.fault)
			NewWithT(t).Expect(configsOfTwo(t, claim)).To(Equal(test.want))
		})
	}
}

func TestWrongDriverReadsFirstNameOnly(t *testing.T) {
	claim := newClaim("claim", small0, small1)
	claim.Status.Allocation.Devices.Results[0].Request, claim.Status.Allocation.Devices.Results[1].Request = "one", "two"
	claim = withConfig(claim, fromClaim, driver, `{}`, "one", "two")
	NewWithT(t).Expect(configsOfTwo(t, claim)).To(Equal([]int{1, 1}))
	turnOn(t, &fault.ReadsFirstNameOnly)
	NewWithT(t).Expect(configsOfTwo(t, claim)).To(Equal([]int{1, 0}))
}

func TestWrongDriverPrefersClaimParameters(t *testing.T) {
	claim := newClaim("claim", small0, small1)
	claim.Status.Allocation.Devices.Results[0].Request, claim.Status.Allocation.Devices.Results[1].Request = "one", "two"
	claim = withConfig(claim, fromClass, driver, `{}`, "one")
	both := withConfig(claim.DeepCopy(), fromClaim, driver, `{}`, "two")
	NewWithT(t).Expect(configsOfTwo(t, both)).To(Equal([]int{1, 1}))
	turnOn(t, &fault.PrefersClaimParameters)
	NewWithT(t).Expect(configsOfTwo(t, both)).To(Equal([]int{0, 1}))
	NewWithT(t).Expect(configsOfTwo(t, claim)).To(Equal([]int{1, 0}), "the claim has none")
}

func TestWrongDriverStripsQuotes(t *testing.T) {
	g := NewWithT(t)
	claim := withConfig(newClaim("claim", small0), fromClaim, driver, `{"label":"\"a\""}`)
	parameters := func() string {
		got, err := open(t, newConfig(t)).allocated(claim)
		g.Expect(err).NotTo(HaveOccurred())
		return string(got.Devices[0].Configs[0].Parameters)
	}
	g.Expect(parameters()).To(Equal(`{"label":"\"a\""}`))
	turnOn(t, &fault.StripsQuotes)
	g.Expect(parameters()).To(Equal(`{"label":"a"}`))
}

func TestWrongDriverRejectsParametersOfOtherDrivers(t *testing.T) {
	claim := newClaim("claim", small0)
	claim.Status.Allocation.Devices.Config = []resourceapi.DeviceAllocationConfiguration{{Source: resourceapi.AllocationConfigSourceClaim, DeviceConfiguration: resourceapi.DeviceConfiguration{
		Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: "other.example.com", Parameters: runtime.RawExtension{Raw: []byte(`{}`)}},
	}}}
	g := NewWithT(t)
	g.Expect(open(t, newConfig(t)).prepareAll(t, claim)).To(Succeed())
	turnOn(t, &fault.RejectsOtherParameters)
	g.Expect(open(t, newConfig(t)).prepareAll(t, claim)).To(MatchError(ContainSubstring("driver other.example.com is not known")))
}

func TestWrongDriverKeepsConfiguration(t *testing.T) {
	g := NewWithT(t)
	turnOn(t, &fault.KeepsConfiguration)
	store := open(t, newConfig(t))
	configured := withConfig(newClaim("configured", small0), fromClaim, driver, `{"mode": "quiet"}`)
	g.Expect(store.prepareAll(t, configured)).To(Succeed())
	g.Expect(store.Unprepare(t.Context(), configured.UID)).To(Succeed())
	got, err := store.allocated(newClaim("plain", small0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(got.Devices[0].Configs).To(HaveLen(1))
}

func TestWrongDriverHoldsRefusedClaims(t *testing.T) {
	g := NewWithT(t)
	turnOn(t, &fault.HoldsFailedClaims)
	store := open(t, newConfig(t))
	refused := withConfig(newClaim("refused", small0), fromClaim, driver, `{"apiVersion": "unknown.example.com/v1"}`)
	g.Expect(store.prepareAll(t, refused)).NotTo(Succeed())
	g.Expect(store.prepareAll(t, refused)).NotTo(Succeed(), "it is tried again")
	g.Expect(store.Unprepare(t.Context(), refused.UID)).To(Succeed())
	g.Expect(store.prepareAll(t, newClaim("next", small0))).To(MatchError(ContainSubstring("held by claim")))
}
