// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package claims

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/fault"
)

// forAdmin returns a claim with admin access to a device.
func forAdmin(name, device string) *resourceapi.ResourceClaim {
	claim := newClaim(name, device)
	claim.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
	return claim
}

func TestWrongDriversMisjudgeAdminAccess(t *testing.T) {
	user, monitor := newClaim("user", small0), forAdmin("monitor", small0)
	for name, test := range map[string]struct {
		fault *bool
		// before is prepared before claim.
		before, claim *resourceapi.ResourceClaim
		want          string
	}{
		"refuses": {&fault.RefusesAdminAccess, user, monitor, "device " + small0 + " is held by claim default/user"},
		"holds":   {&fault.HoldsForAdminAccess, monitor, user, "device " + small0 + " is held by claim default/monitor"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(open(t, newConfig(t)).prepareAll(t, test.before, test.claim)).To(Succeed())
			turnOn(t, test.fault)
			g.Expect(open(t, newConfig(t)).prepareAll(t, test.before, test.claim)).To(MatchError(ContainSubstring(test.want)))
		})
	}
}

func TestWrongDriverReleasesWithAdminAccess(t *testing.T) {
	for _, on := range []bool{false, true} {
		g := NewWithT(t)
		if on {
			turnOn(t, &fault.ReleasesWithAdminAccess)
		}
		store := open(t, newConfig(t))
		g.Expect(store.prepareAll(t, newClaim("user", small0), newClaim("other", small1), forAdmin("monitor", small0))).To(Succeed())
		g.Expect(store.Unprepare(t.Context(), "monitor")).To(Succeed())
		g.Expect(slices.Contains(store.Prepared(), "default/user")).To(Equal(!on))
		g.Expect(store.Prepared()).To(ContainElement("default/other"))
	}
}

func TestWrongDriverGivesAdminAccessNoDevices(t *testing.T) {
	g := NewWithT(t)
	turnOn(t, &fault.GivesAdminAccessNoDevices)
	store := open(t, newConfig(t))
	g.Expect(store.Prepare(t.Context(), newClaim("user", small0))).To(HaveLen(1))
	g.Expect(store.Prepare(t.Context(), forAdmin("monitor", small0))).To(BeEmpty())
	g.Expect(store.Prepared()).To(Equal([]string{"default/monitor", "default/user"}))
}
