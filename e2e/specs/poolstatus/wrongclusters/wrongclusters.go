// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package wrongclusters has clusters with faults that the specs of the profile
// pool-status must detect.
package wrongclusters

import (
	"slices"
	"strings"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// All are clusters with faults, and the specs that must detect them.
var All = wrong.Join(wrongReports, wrongPartitions)

// wrongReports are clusters that misread requests, or miscount devices.
var wrongReports = wrong.Table{
	"requests are not answered": {
		Options: miscounts(func(r *resourcev1alpha3.ResourcePoolStatusRequest) { r.Status = nil }), Spec: "pool-status-counts-devices",
		Want: []string{"a request for the status of pools should be answered", "has no status"},
	},
	"answers fail": {
		Options: miscounts(func(r *resourcev1alpha3.ResourcePoolStatusRequest) {
			r.Status.Conditions[0].Type = resourcev1alpha3.ResourcePoolStatusRequestConditionFailed
		}),
		Spec: "pool-status-counts-devices", Want: []string{"is not complete"},
	},
	"allocated devices do not count": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) { *p.AllocatedDevices, *p.AvailableDevices = 0, *p.TotalDevices }),
		Spec:    "pool-status-counts-devices", Want: []string{"a claim has two devices", "allocated:0 available:5", "allocated:2 available:3"},
	},
	"released devices count": {
		Options: miscountsPools(func() func(*resourcev1alpha3.PoolStatus) {
			most := map[string]int32{}
			return func(p *resourcev1alpha3.PoolStatus) {
				most[p.PoolName] = max(most[p.PoolName], *p.AllocatedDevices)
				*p.AllocatedDevices, *p.AvailableDevices = most[p.PoolName], *p.TotalDevices-most[p.PoolName]
			}
		}()),
		Spec: "pool-status-counts-devices", Want: []string{"the devices were released", "allocated:2 available:3"},
	},
	"allocated devices are available": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) { *p.AvailableDevices = *p.TotalDevices }),
		Spec:    "pool-status-counts-devices", Want: []string{"allocated:2 available:5"},
	},
	"devices of the same names in other pools count": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) {
			if strings.HasSuffix(p.PoolName, "-more") {
				*p.AllocatedDevices, *p.AvailableDevices = 2, 3
			}
		}),
		Spec: "pool-status-counts-devices", Want: []string{"devices of the same names are in another pool", "generation:1 slices:1 total:5 allocated:2 available:3"},
	},
	"devices of the same names of other drivers count": {
		Options: miscounts(func(r *resourcev1alpha3.ResourcePoolStatusRequest) {
			if len(r.Status.Pools) > 1 {
				*r.Status.Pools[0].AllocatedDevices, *r.Status.Pools[0].AvailableDevices = 5, 0
			}
		}),
		Spec: "pool-status-counts-devices", Want: []string{"devices of the same names are in another pool and of another driver", "allocated:5 available:0"},
	},
	"slices do not count": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) { *p.ResourceSliceCount = 1 }),
		Spec:    "pool-status-counts-devices", Want: []string{"slices:1"},
	},
	"pools have no node": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) { p.NodeName = nil }),
		Spec:    "pool-status-counts-devices", Want: []string{"no device is allocated"},
	},
	"the name of a pool is ignored": {
		Options: miscounts(func(r *resourcev1alpha3.ResourcePoolStatusRequest) {
			if ptr.Deref(r.Spec.PoolName, "") == "d" {
				r.Status.PoolCount, r.Status.Pools = ptr.To[int32](1), []resourcev1alpha3.PoolStatus{{Driver: r.Spec.Driver, PoolName: "a"}}
			}
		}),
		Spec: "pool-status-selects-pools", Want: []string{"no pool has the name", "name:a"},
	},
	"the driver is ignored": {
		Options: miscounts(func(r *resourcev1alpha3.ResourcePoolStatusRequest) {
			if len(r.Status.Pools) == 0 {
				r.Status.PoolCount = ptr.To[int32](3)
			}
		}),
		Spec: "pool-status-selects-pools", Want: []string{"another driver has no pools"},
	},
	"pools beyond the limit are not counted": {
		Options: miscounts(func(r *resourcev1alpha3.ResourcePoolStatusRequest) {
			r.Status.PoolCount = ptr.To(int32(len(r.Status.Pools)))
		}),
		Spec: "pool-status-selects-pools", Want: []string{"at most two of them are requested", "of 2 pools"},
	},
	"pools are in another order": {
		Options: miscounts(func(r *resourcev1alpha3.ResourcePoolStatusRequest) { slices.Reverse(r.Status.Pools) }),
		Spec:    "pool-status-selects-pools", Want: []string{"the driver has three pools"},
	},
	"each share is a device": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) {
			if *p.AllocatedDevices == 1 {
				*p.AllocatedDevices, *p.AvailableDevices = 2, 0
			}
		}),
		Spec: "pool-status-counts-shared-devices-once", Want: []string{"allocated:2 available:0"},
	},
	"consumed capacity is not counted": {
		Options: miscountsPools(forgetConsumed("slots")),
		Spec:    "pool-status-counts-shared-devices-once", Want: []string{"0 of 8 slots, and 8 are left", "6 of 32 memory, and 26 are left"},
	},
	"one capacity is counted": {
		Options: miscountsPools(forgetConsumed("memory")),
		Spec:    "pool-status-counts-shared-devices-once", Want: []string{"2 of 8 slots, and 6 are left", "0 of 32 memory, and 32 are left"},
	},
	"devices with taints are available": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) { *p.UnavailableDevices, *p.AvailableDevices = 0, *p.TotalDevices }),
		Spec:    "pool-status-counts-tainted-devices", Want: []string{"available:4 unavailable:0"},
	},
	"informational taints count": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) { *p.UnavailableDevices, *p.AvailableDevices = 3, 1 }),
		Spec:    "pool-status-counts-tainted-devices", Want: []string{"available:1 unavailable:3"},
	},
	"taint rules do not count": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) { *p.UnavailableDevices, *p.AvailableDevices = 0, *p.TotalDevices }),
		Spec:    "pool-status-counts-taint-rules", Want: []string{"the effect of the rule for a device is NoSchedule", "available:2 unavailable:0"},
	},
	"taint rules count for all devices": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) {
			if *p.UnavailableDevices > 0 {
				*p.UnavailableDevices, *p.AvailableDevices = *p.TotalDevices, 0
			}
		}),
		Spec: "pool-status-counts-taint-rules", Want: []string{"the effect of the rule for a device is NoSchedule", "available:0 unavailable:2"},
	},
	"taint rules count whatever their effect": {
		Options: miscountsPools(func() func(*resourcev1alpha3.PoolStatus) {
			var most int32
			return func(p *resourcev1alpha3.PoolStatus) {
				most = max(most, *p.UnavailableDevices)
				*p.UnavailableDevices, *p.AvailableDevices = most, *p.TotalDevices-most
			}
		}()),
		Spec: "pool-status-counts-taint-rules", Want: []string{"the effect of the rule is None", "available:1 unavailable:1"},
	},
	"devices with admin access are allocated": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) {
			if *p.AllocatedDevices == 1 {
				*p.AllocatedDevices, *p.AvailableDevices = 2, 1
			}
		}),
		Spec: "pool-status-leaves-out-admin-access", Want: []string{"a claim has admin access to another one", "allocated:2 available:1"},
	},
	"older generations count": {
		Options: miscountsPools(func(p *resourcev1alpha3.PoolStatus) { *p.TotalDevices, *p.AvailableDevices = 4, 4 }),
		Spec:    "pool-status-of-newest-generation", Want: []string{"the newest generation has one device", "total:4"},
	},
	"API server accepts changes": {
		Spec: "pool-status-is-final", Want: []string{"the API server should reject another limit in the request"},
	},
	"API server has no default limit": {
		Spec: "pool-status-is-validated", Want: []string{"the limit, or its default"},
	},
}

// miscounts returns the options of a cluster that changes the answers to
// requests.
func miscounts(change func(*resourcev1alpha3.ResourcePoolStatusRequest)) fakecluster.Options {
	return wrong.With(fakecluster.ControllerMistakes{Miscounts: change})
}

// miscountsPools returns the options of a cluster that changes the status of
// each pool.
func miscountsPools(change func(*resourcev1alpha3.PoolStatus)) fakecluster.Options {
	return miscounts(func(r *resourcev1alpha3.ResourcePoolStatusRequest) {
		for i := range r.Status.Pools {
			change(&r.Status.Pools[i])
		}
	})
}

// forgetConsumed removes what is consumed of a capacity from the status of a pool.
func forgetConsumed(capacity string) func(*resourcev1alpha3.PoolStatus) {
	return func(p *resourcev1alpha3.PoolStatus) {
		for _, c := range p.ShareableSummary.Capacity {
			if c.Name == capacity {
				c.Consumed.Set(0)
				c.Available.Set(c.Total.Value())
			}
		}
	}
}
