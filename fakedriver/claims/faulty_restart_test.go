// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package claims

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/internal/fault"
)

func TestWrongDriversForgetClaimsAtRestart(t *testing.T) {
	for name, test := range map[string]struct {
		fault *bool
		want  []string
	}{
		"none":         {new(bool), []string{"default/a", "default/monitor", "default/user"}},
		"admin access": {&fault.ForgetsAdminAccess, []string{"default/a", "default/user"}},
		"all but one":  {&fault.KeepsOneClaim, []string{"default/a"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			config := newConfig(t)
			config.Shared = true // the checkpoint is read again before each use
			g.Expect(open(t, config).prepareAll(t, newClaim("a", small1), newClaim("user", small0), forAdmin("monitor", small0))).To(Succeed())
			turnOn(t, test.fault)
			again := open(t, config)
			g.Expect(again.Prepared()).To(Equal(test.want))
			g.Expect(again.Described()).To(Equal(test.want))
		})
	}
}

func TestWrongDriverEmptiesItsCheckpointAtStart(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		config := newConfig(t)
		g.Expect(open(t, config).prepareAll(t, newClaim("a", small1))).To(Succeed())
		if on {
			turnOn(t, &fault.EmptiesCheckpointAtStart)
		}
		g.Expect(open(t, config).Prepared()).To(Equal([]string{"default/a"}))
		g.Expect(open(t, config).Prepared()).To(HaveLen(map[bool]int{false: 1, true: 0}[on]))
	}
}

func TestWrongDriverRecoversFirstDeviceOnly(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.RecoversFirstDeviceOnly)
		}
		store := open(t, newConfig(t))
		store.devices, _ = store.currentDevices(t.Context())
		claim := newClaim("claim", small0, small1)
		claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: "pod"}}
		got, err := store.presumed(claim)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got.Devices).To(HaveLen(map[bool]int{false: 2, true: 1}[on]))
	}
}

func TestWrongDriverForgetsConfigurationAtRestart(t *testing.T) {
	g := NewWithT(t)
	config := newConfig(t)
	g.Expect(open(t, config).prepareAll(t, withConfig(newClaim("claim", small0), fromClaim, driver, `{}`))).To(Succeed())
	open(t, config)
	g.Expect(injected(t, config)).To(And(HaveLen(1), HaveEach(HaveField("Configs", HaveLen(1)))))
	turnOn(t, &fault.ForgetsConfigurationAtRestart)
	open(t, config)
	g.Expect(injected(t, config)).To(And(HaveLen(1), HaveEach(HaveField("Configs", BeEmpty()))))
}

func TestWrongDriverRecoversNoShares(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.RecoversNoShares)
		}
		store := open(t, newNICConfig(t))
		store.devices, _ = store.currentDevices(t.Context())
		claim := newShare("a", "shared", "1")
		claim.Status.ReservedFor = []resourceapi.ResourceClaimConsumerReference{{Resource: "pods", Name: "pod", UID: "pod"}}
		got, err := store.presumed(claim)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(got.Devices).To(HaveLen(map[bool]int{false: 1, true: 0}[on]))
	}
}

func TestWrongDriverForgetsConsumedCapacity(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		config := newNICConfig(t)
		g.Expect(open(t, config).prepareAll(t, newShare("a", "shared", "1"))).To(Succeed())
		if on {
			turnOn(t, &fault.ForgetsConsumedCapacity)
		}
		err := open(t, config).prepareAll(t, newShare("b", "shared", "1"))
		if on {
			g.Expect(err).To(MatchError(ContainSubstring("needs 1 of capacity slots, 0 is left")))
		} else {
			g.Expect(err).NotTo(HaveOccurred())
		}
	}
}
