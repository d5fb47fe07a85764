// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package plugin_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/internal/fault"
)

func TestWrongDriverWritesNoDeviceStatus(t *testing.T) {
	turnOn(t, &fault.WritesNoDeviceStatus)
	claim := newClaim(driver, "gpu-0", "claim")
	r := startWithStatus(t, claim)
	_, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.statuses(claim)).To(BeEmpty())
}

func TestWrongDriverReportsFirstDeviceStatusOnly(t *testing.T) {
	turnOn(t, &fault.ReportsFirstDeviceStatusOnly)
	claim := twoRequests()
	r := startWithStatus(t, claim)
	_, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.statuses(claim)).To(HaveExactElements(HaveField("Device", "gpu-0-mig-1g-5gb-0")))
}

func TestWrongDriverRenewsDeviceStatus(t *testing.T) {
	turnOn(t, &fault.RenewsDeviceStatus)
	claim := newClaim(driver, "gpu-0", "claim")
	r := startWithStatus(t, claim)
	kubelet := r.kubelet(driver)
	for range 2 {
		_, err := kubelet.prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
	}
	r.g.Expect(r.writes()).To(Equal(2))
}

func TestWrongDriverOverwritesDeviceStatus(t *testing.T) {
	for _, on := range []bool{false, true} {
		if on {
			turnOn(t, &fault.OverwritesDeviceStatus)
		}
		claim := newClaim(driver, "gpu-0", "claim")
		claim.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: second, Pool: node, Device: "nic-0"}}
		r := startWithStatus(t, claim)
		_, err := r.kubelet(driver).prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(r.statuses(claim)).To(And(HaveLen(map[bool]int{false: 2, true: 1}[on]), ContainElement(HaveField("Driver", driver))))
	}
}

func TestWrongDriverReportsNoStatusOfShares(t *testing.T) {
	for _, on := range []bool{false, true} {
		if on {
			turnOn(t, &fault.ReportsNoStatusOfShares)
		}
		claim := newShare("share", "a")
		r := startWithStatus(t, claim)
		_, err := r.Publish(t.Context(), second, nics)
		r.g.Expect(err).NotTo(HaveOccurred())
		_, err = r.kubelet(second).prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
		statuses := r.statuses(claim)
		r.g.Expect(statuses).To(HaveLen(1), "this API server validates nothing")
		r.g.Expect(statuses[0].ShareID == nil).To(Equal(on))
	}
}
