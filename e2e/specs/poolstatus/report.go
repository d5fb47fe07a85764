// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"fmt"
	"slices"
	"strings"

	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/utils/ptr"
)

// report is the status of pools in a comparable form.
type report struct {
	// matching is the number of pools that a request selects.
	matching int32
	// pools are those that are reported.
	pools []pool
}

// pool is the status of one pool. A number that is not reported is -1.
type pool struct {
	name, node string
	generation int64

	slices, total, allocated, available, unavailable int32

	shared shares
	// types are the types of partitions, see typesOf.
	types string
}

// shares are the shared devices of a pool, and their capacities, see consumed.
type shares struct {
	unused, used int32
	capacities   string
}

// consumed writes how much of a capacity is consumed and available in a comparable form.
func consumed(name string, consumed, total, available int64) string {
	return fmt.Sprintf("%d of %d %s, and %d are left", consumed, total, name, available)
}

// reportOf returns the report in a status. An entry of another driver than that
// of the spec has a different pool.
func reportOf(status *resourcev1alpha3.ResourcePoolStatusRequestStatus) report {
	r := report{matching: number(status.PoolCount)}
	for _, p := range status.Pools {
		r.pools = append(r.pools, pool{
			name: p.PoolName, node: ptr.Deref(p.NodeName, ""), generation: p.Generation, slices: number(p.ResourceSliceCount),
			total: number(p.TotalDevices), allocated: number(p.AllocatedDevices), available: number(p.AvailableDevices), unavailable: number(p.UnavailableDevices),
			shared: sharesOf(p.ShareableSummary), types: typesOf(p.PartitionSummary),
		})
	}
	return r
}

func number(n *int32) int32 { return ptr.Deref(n, -1) }

// sharesOf returns the summary of the shared devices of a pool. A pool without
// them has none, and so has every pool before Kubernetes 1.37.
func sharesOf(summary *resourcev1alpha3.ShareableSummaryStatus) shares {
	if summary == nil {
		return shares{}
	}
	s := shares{unused: number(summary.FullyAvailableDevices), used: number(summary.PartiallyAvailableDevices)}
	var written []string
	for _, c := range summary.Capacity {
		written = append(written, consumed(c.Name, c.Consumed.Value(), c.Total.Value(), c.Available.Value()))
	}
	slices.Sort(written)
	s.capacities = strings.Join(written, "; ")
	return s
}

// differs returns an error that describes the difference of a report, or nil if
// there is none.
func (r report) differs(got report) error {
	if got.matching == r.matching && slices.Equal(got.pools, r.pools) {
		return nil
	}
	return fmt.Errorf("the report is %s, and should be %s", got, r)
}

// String returns the report in one line.
func (r report) String() string { return fmt.Sprintf("%+v of %d pools", r.pools, r.matching) }
