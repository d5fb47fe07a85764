// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"os"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/devenv"
)

func TestPrepare(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	store := open(t, config)
	claim := newClaim("a", small0, half4)
	claim.Status.Allocation.Devices.Results[1].Request = "gpu/large"
	claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results,
		resourceapi.DeviceRequestAllocationResult{Request: "nic", Driver: "nic.example.com", Pool: node, Device: "eth0"})

	devices, err := store.Prepare(t.Context(), claim)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(devices).To(HaveLen(2), "devices of other drivers are ignored")
	g.Expect(devices[0].Requests).To(Equal([]string{"for-" + small0}))
	g.Expect(devices[0].PoolName).To(Equal(node))
	g.Expect(devices[0].DeviceName).To(Equal(small0))
	g.Expect(devices[0].CDIDeviceIDs).To(Equal([]string{"mig.example.com/device=a_for-" + small0 + "_" + small0}))
	g.Expect(devices[1].Requests).To(Equal([]string{"gpu/large"}))
	g.Expect(devices[1].CDIDeviceIDs).To(Equal([]string{"mig.example.com/device=a_gpu.large_" + half4}))

	seen := injected(t, config)
	g.Expect(seen).To(HaveLen(2))
	got := seen[devices[0].CDIDeviceIDs[0]]
	g.Expect(got.Attributes).To(HaveKeyWithValue("profile", "1g.5gb"))
	g.Expect(got.Attributes).To(HaveKeyWithValue("placement", "0"))
	got.Attributes = nil
	g.Expect(got).To(Equal(devenv.Device{
		Driver: driver, Pool: node, Device: small0, Request: "for-" + small0,
		ClaimNamespace: "default", ClaimName: "a", ClaimUID: "a",
	}))

	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
	g.Expect(injected(t, config)).To(BeEmpty())
}

func TestCallsCanBeRepeated(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	store := open(t, config)
	first, err := store.Prepare(t.Context(), newClaim("a", small0))
	g.Expect(err).NotTo(HaveOccurred())

	g.Expect(os.RemoveAll(config.CDIDir)).To(Succeed())
	second, err := store.Prepare(t.Context(), newClaim("a", small0))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(second).To(Equal(first))
	g.Expect(injected(t, config)).To(HaveLen(1), "a missing spec is written again")

	_, err = store.Prepare(t.Context(), newClaim("a", small1))
	g.Expect(err).To(MatchError(ContainSubstring("prepared with other devices")))

	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
	g.Expect(store.Unprepare(t.Context(), "never-seen")).To(Succeed())
}

func TestPrepareRejectsOverlaps(t *testing.T) {
	for _, test := range []struct {
		name    string
		devices []string
		message string
	}{
		{"a device that is held", []string{small0}, "device " + small0 + " is held by claim default/holder"},
		{"a partition on memory in use", []string{half0}, "device " + half0 + " needs 1 of counter memory-slice-0 in counter set gpu-0-counter-set, 0 is left; the rest is used by device " + small0 + " of claim default/holder"},
		{"the whole GPU", []string{whole}, "device gpu-0 needs 7 of counter copy-engines in counter set gpu-0-counter-set, 5 is left"},
		{"media engines twice", []string{media6}, "counter jpeg-engines"},
		{"a device that does not exist", []string{"gpu-7"}, "this node has no device mig.example.com/node-1/gpu-7"},
		{"an overlap within the claim", []string{half4, "gpu-0-mig-1g-5gb-5"}, "counter memory-slice-5 in counter set gpu-0-counter-set, 0 is left; the rest is used by device " + half4 + " of claim default/late"},
		{"one device twice", []string{half4, half4}, "is held by claim default/late"},
		{"a free device and a held one", []string{half4, small0}, "is held by claim default/holder"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			config := newConfig(t)
			store := open(t, config)
			_, err := store.Prepare(t.Context(), newClaim("holder", small0, "gpu-0-mig-1g-5gb-me-1"))
			g.Expect(err).NotTo(HaveOccurred())
			before := files(t, config)

			_, err = store.Prepare(t.Context(), newClaim("late", test.devices...))
			g.Expect(err).To(MatchError(And(ContainSubstring("prepare claim default/late, request for-"), ContainSubstring(test.message))))
			g.Expect(files(t, config)).To(Equal(before), "no files are changed")
		})
	}
}

func TestPrepareRejectsDevicesOfOtherNodes(t *testing.T) {
	g := NewWithT(t)
	store := open(t, newConfig(t))
	claim := newClaim("a", small0)
	claim.Status.Allocation.Devices.Results[0].Pool = "node-2"
	_, err := store.Prepare(t.Context(), claim)
	g.Expect(err).To(MatchError(ContainSubstring("this node has no device mig.example.com/node-2/" + small0)))

	claim.Status.Allocation = nil
	_, err = store.Prepare(t.Context(), claim)
	g.Expect(err).To(MatchError(ContainSubstring("not allocated")))
}

func TestUnprepareReturnsCounters(t *testing.T) {
	g := NewWithT(t)
	store := open(t, newConfig(t))
	_, err := store.Prepare(t.Context(), newClaim("a", media0))
	g.Expect(err).NotTo(HaveOccurred())
	_, err = store.Prepare(t.Context(), newClaim("b", media6))
	g.Expect(err).To(HaveOccurred())
	g.Expect(store.Unprepare(t.Context(), "a")).To(Succeed())
	_, err = store.Prepare(t.Context(), newClaim("b", media6))
	g.Expect(err).NotTo(HaveOccurred())
}

func TestAdminAccessIsExcludedFromChecks(t *testing.T) {
	g := NewWithT(t)
	store := open(t, newConfig(t))
	admin := newClaim("admin", whole)
	admin.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)

	_, err := store.Prepare(t.Context(), newClaim("user", half0))
	g.Expect(err).NotTo(HaveOccurred())
	_, err = store.Prepare(t.Context(), admin)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = store.Prepare(t.Context(), newClaim("other", half4))
	g.Expect(err).NotTo(HaveOccurred())
}

func TestShareIDOfKubeletAndContainer(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	claim := newClaim("a", small0)
	claim.Status.Allocation.Devices.Results[0].ShareID = ptr.To(types.UID("share"))
	devices, err := open(t, config).Prepare(t.Context(), claim)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(*devices[0].ShareID).To(Equal(types.UID("share")))
	g.Expect(injected(t, config)[devices[0].CDIDeviceIDs[0]].ShareID).To(Equal("share"))
}
