// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package plugin_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/internal/fault"
)

// Guards what remains of a claim in drivers that mishandle a full disk: while it is
// full, when there is room and the kubelet calls again, and when the claim is
// unprepared instead.
func TestWrongDriversWithFullDisks(t *testing.T) {
	const name, uid = "default/claim", "claim"
	for title, test := range map[string]struct {
		fault               *bool
		prepared, described []string // while the disk is full
		fails               bool     // the first call
		after               []string // CDI specs after the next call
		held                bool     // after the claim is unprepared
	}{
		"none":                  {fault: new(bool), fails: true, after: []string{name}},
		"ignores the full disk": {fault: &fault.IgnoresFullDisk, prepared: []string{name}, after: []string{name}},
		"writes in place":       {fault: &fault.WritesSpecsInPlace, described: []string{uid}, fails: true, after: []string{name}},
		"trusts failed claims":  {fault: &fault.TrustsFailedClaims, prepared: []string{name}, fails: true},
		"holds failed claims":   {fault: &fault.HoldsFailedClaims, prepared: []string{name}, fails: true, after: []string{name}, held: true},
	} {
		t.Run(title, func(t *testing.T) {
			turnOn(t, test.fault)
			claim, late := newClaim(driver, "gpu-0", uid), newClaim(driver, "gpu-0", "late")
			r := start(t, claim, late)
			kubelet := r.kubelet(driver)
			fill := func(disk claims.Disk) { r.g.Expect(r.SetDisk(t.Context(), driver, disk)).To(Succeed()) }
			prepare := func(fails bool) {
				_, err := kubelet.prepare(t.Context(), claim)
				if fails {
					r.g.Expect(err).To(MatchError(ContainSubstring("no space left on device")))
				} else {
					r.g.Expect(err).NotTo(HaveOccurred())
				}
			}
			fill(claims.Disk{SpecsFull: true})
			prepare(test.fails)
			r.g.Expect(r.Status(t.Context(), driver)).To(And(HaveField("Claims", test.prepared), HaveField("Described", test.described)))
			fill(claims.Disk{})
			prepare(false)
			r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Described", test.after))
			r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(Succeed())

			fill(claims.Disk{SpecsFull: true})
			prepare(test.fails)
			fill(claims.Disk{})
			r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(Succeed())
			_, err := kubelet.prepare(t.Context(), late)
			if test.held {
				r.g.Expect(err).To(MatchError(ContainSubstring("held by claim " + name)))
			} else {
				r.g.Expect(err).NotTo(HaveOccurred())
			}
		})
	}
}

func TestWrongDriverForgetsDamagedCheckpoint(t *testing.T) {
	for _, damage := range []claims.Damage{claims.Truncated, claims.Zeroed, claims.Lost} {
		t.Run(string(damage), func(t *testing.T) {
			claim := newClaim(driver, "gpu-0", "claim")
			claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: "pod-uid"}}
			r := start(t, claim)
			_, err := r.kubelet(driver).prepare(t.Context(), claim)
			r.g.Expect(err).NotTo(HaveOccurred())
			r.g.Expect(r.Damage(t.Context(), driver, control.Damage{Checkpoint: damage})).To(Succeed())
			turnOn(t, &fault.ForgetsDamagedCheckpoint)
			r = r.restart()
			r.g.Expect(r.prepared(driver)).To(BeEmpty())
		})
	}
}

func TestWrongDriverPreparesResultsOfOtherDrivers(t *testing.T) {
	turnOn(t, &fault.PreparesResultsOfOtherDrivers)
	claim := newClaim(driver, "gpu-0", "claim")
	other := claim.Status.Allocation.Devices.Results[0]
	other.Driver, other.Device = second, "nic-0"
	claim.Status.Allocation.Devices.Results = append(claim.Status.Allocation.Devices.Results, other)
	r := start(t, claim)
	_, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).To(MatchError(ContainSubstring("this node has no device " + second)))
}
