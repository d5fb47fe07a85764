// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package plugin_test

import (
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/internal/fault"
)

// twoRequests returns a claim with two devices for two requests.
func twoRequests() *resourceapi.ResourceClaim {
	claim := newClaim(driver, "gpu-0-mig-1g-5gb-0", "claim")
	results := &claim.Status.Allocation.Devices.Results
	second := (*results)[0]
	second.Request, second.Device = "other", "gpu-0-mig-1g-5gb-1"
	*results = append(*results, second)
	return claim
}

func TestWrongKubeletGivesFirstDeviceOnly(t *testing.T) {
	turnOn(t, &fault.GivesFirstDeviceOnly)
	claim := twoRequests()
	r := start(t, claim)
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveExactElements(HaveField("CdiDeviceIds", Not(BeEmpty())), HaveField("CdiDeviceIds", BeEmpty())))
	r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, "*"))).NotTo(BeEmpty(), "the driver has prepared both")
}

func TestWrongKubeletsGiveDevicesOfEarlierClaims(t *testing.T) {
	for name, test := range map[string]struct {
		fault *bool
		// change makes the next claim out of the first one.
		change func(*resourceapi.ResourceClaim)
		want   string
	}{
		"namespaces":   {&fault.IgnoresNamespaces, func(c *resourceapi.ResourceClaim) { c.UID, c.Namespace = "next", "other" }, "gpu-0-mig-1g-5gb-0"},
		"another name": {&fault.IgnoresNamespaces, func(c *resourceapi.ResourceClaim) { c.UID, c.Name = "next", "next" }, "gpu-0-mig-1g-5gb-1"},
	} {
		t.Run(name, func(t *testing.T) {
			turnOn(t, test.fault)
			first := newClaim(driver, "gpu-0-mig-1g-5gb-0", "claim")
			next := newClaim(driver, "gpu-0-mig-1g-5gb-1", "claim")
			test.change(next)
			r := start(t, first, next)
			_, err := r.kubelet(driver).prepare(t.Context(), first)
			r.g.Expect(err).NotTo(HaveOccurred())
			devices, err := r.kubelet(driver).prepare(t.Context(), next)
			r.g.Expect(err).NotTo(HaveOccurred())
			r.g.Expect(devices).To(HaveExactElements(HaveField("DeviceName", test.want)))
		})
	}
}

func TestWrongKubeletMixesUpRequests(t *testing.T) {
	turnOn(t, &fault.MixesUpRequests)
	claim := twoRequests()
	r := start(t, claim)
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveExactElements(
		And(HaveField("DeviceName", "gpu-0-mig-1g-5gb-0"), HaveField("RequestNames", []string{"other"})),
		And(HaveField("DeviceName", "gpu-0-mig-1g-5gb-1"), HaveField("RequestNames", []string{"gpu"})),
	))
}

func TestWrongKubeletComparesRequestsByPrefix(t *testing.T) {
	turnOn(t, &fault.ComparesRequestsByPrefix)
	claim := twoRequests()
	claim.Status.Allocation.Devices.Results[1].Request = "gpu-more"
	r := start(t, claim)
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveExactElements(
		And(HaveField("DeviceName", "gpu-0-mig-1g-5gb-0"), HaveField("RequestNames", []string{"gpu"})),
		And(HaveField("DeviceName", "gpu-0-mig-1g-5gb-1"), HaveField("RequestNames", []string{"gpu", "gpu-more"})),
	))
}

func TestWrongKubeletDropsShares(t *testing.T) {
	for _, on := range []bool{false, true} {
		if on {
			turnOn(t, &fault.DropsShares)
		}
		claim := newShare("share", "a")
		r := start(t, claim)
		_, err := r.Publish(t.Context(), second, nics)
		r.g.Expect(err).NotTo(HaveOccurred())
		devices, err := r.kubelet(second).prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(devices).To(HaveLen(1))
		r.g.Expect(devices[0].ShareId == nil).To(Equal(on))
		log, err := r.Calls(t.Context(), second, 0)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(log[len(log)-1].Claims).To(HaveExactElements(HaveField("Shares", HaveLen(1))), "the driver has returned it")
	}
}

func TestWrongKubeletRejectsBareDevices(t *testing.T) {
	turnOn(t, &fault.RejectsBareDevices)
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	kubelet := r.kubelet(driver)
	_, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Prepare, Action: calls.OmitCDIDevices, Count: 1})).To(Succeed())
	_, err = kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).To(MatchError(ContainSubstring("device gpu-0 has no CDI devices")))
}

func TestWrongKubeletIgnoresDevicesOfAllRequests(t *testing.T) {
	turnOn(t, &fault.IgnoresDevicesOfAllRequests)
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	kubelet := r.kubelet(driver)
	r.g.Expect(kubelet.prepare(t.Context(), claim)).To(HaveLen(1))
	r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Prepare, Action: calls.OmitRequests, Count: 1})).To(Succeed())
	r.g.Expect(kubelet.prepare(t.Context(), claim)).To(BeEmpty())
}

func TestWrongKubeletsMixUpClaims(t *testing.T) {
	for name, test := range map[string]struct {
		fault *bool
		a, b  []string
	}{
		"none":          {new(bool), []string{"gpu-0-mig-1g-5gb-0"}, []string{"gpu-0-mig-1g-5gb-1"}},
		"claims":        {&fault.MixesUpClaims, []string{"gpu-0-mig-1g-5gb-1"}, []string{"gpu-0-mig-1g-5gb-0"}},
		"requests only": {&fault.ComparesRequestsOnly, []string{"gpu-0-mig-1g-5gb-0", "gpu-0-mig-1g-5gb-1"}, []string{"gpu-0-mig-1g-5gb-0", "gpu-0-mig-1g-5gb-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			turnOn(t, test.fault)
			a, b := newClaim(driver, "gpu-0-mig-1g-5gb-0", "a"), newClaim(driver, "gpu-0-mig-1g-5gb-1", "b")
			r := start(t, a, b)
			answer, err := r.kubelet(driver).prepareTogether(t, a, b)
			r.g.Expect(err).NotTo(HaveOccurred())
			for uid, want := range map[string][]string{"a": test.a, "b": test.b} {
				var got []string
				for _, device := range answer.Claims[uid].Devices {
					got = append(got, device.DeviceName)
				}
				r.g.Expect(got).To(ConsistOf(want))
			}
		})
	}
}
