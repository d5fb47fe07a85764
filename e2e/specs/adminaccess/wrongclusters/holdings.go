// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongHoldings are clusters whose scheduler makes mistakes about what claims
// with admin access hold.
var wrongHoldings = wrong.Table{
	"claims with admin access hold their devices": {
		Options: wrong.Misreads(holdDevices), Spec: "admin-access-leaves-all-devices",
		Want: []string{"pod all is not scheduled"},
	},
	"claims with admin access hold their devices while pods compete": {
		Options: wrong.Misreads(holdDevices), Spec: "admin-access-competes-with-none",
		Want: []string{"is not scheduled"},
	},
	"scheduler passes over devices with admin access": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Pod.Name == "all" {
				hideAllocated(s)
			}
		}),
		Spec: "admin-access-leaves-all-devices", Want: []string{"the devices of claim all should be for [device device device]"},
	},
	"claims with admin access consume capacity": {
		Options: wrong.Misreads(holdDevices), Spec: "admin-access-consumes-no-capacity",
		Want: []string{"pod user-3 is not scheduled"},
	},
	"claims with admin access return capacity": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if named := func(c *resourceapi.ResourceClaim) bool { return c.Name == "monitor" }; !slices.ContainsFunc(s.Objects.Claims, named) {
				s.Objects.Claims = s.Objects.Claims[:max(len(s.Objects.Claims)-1, 0)]
			}
		}),
		Spec: "admin-access-consumes-no-capacity", Want: []string{"because the claim with admin access consumed none of the capacity"},
	},
	"deleted claims with admin access free their devices": {
		Options: wrong.Misreads(freeMonitored()), Spec: "admin-access-gets-devices-in-use",
		Want: []string{"pod late should be unschedulable, because claim card has the device, to which another claim had only admin access"},
	},
	"claims with admin access are not evicted": {
		Options: wrong.Misevicts(func(e *fakecluster.Eviction) {
			if ptr.Deref(e.Result.AdminAccess, false) {
				e.Published = nil
			}
		}),
		Spec: "admin-access-is-evicted", Want: []string{"pod monitor should be evicted, because it has admin access to a device with a taint of the effect NoExecute"},
	},
	"claims with admin access hold their devices after a restart": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Restarts > 0 {
				holdDevices(s)
			}
		}),
		Spec: "admin-access-holds-nothing-after-restart", Want: []string{"pod card is not scheduled"},
	},
	"scheduler forgets all claims in a restart": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if s.Restarts > 0 {
				s.Objects.Claims = nil
			}
		}),
		Spec: "admin-access-holds-nothing-after-restart", Want: []string{"pod late should be unschedulable, because its device is allocated to claim disk"},
	},
}

// holdDevices makes the scheduler see results with admin access as ordinary ones.
func holdDevices(s *fakecluster.Scene) {
	for _, claim := range s.Objects.Claims {
		for i := range claim.Status.Allocation.Devices.Results {
			claim.Status.Allocation.Devices.Results[i].AdminAccess = nil
		}
	}
}

// freeMonitored makes the scheduler take a device for free when a claim with admin access to it
// is gone.
func freeMonitored() func(*fakecluster.Scene) {
	monitored := map[string]string{}
	return func(s *fakecluster.Scene) {
		present := map[string]bool{}
		for _, claim := range s.Objects.Claims {
			present[claim.Name] = true
			if result := claim.Status.Allocation.Devices.Results[0]; ptr.Deref(result.AdminAccess, false) {
				monitored[claim.Name] = result.Device
			}
		}
		for name, device := range monitored {
			if present[name] {
				continue
			}
			s.Objects.Claims = slices.DeleteFunc(s.Objects.Claims, func(c *resourceapi.ResourceClaim) bool {
				return c.Status.Allocation.Devices.Results[0].Device == device
			})
		}
	}
}
