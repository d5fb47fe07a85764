// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"cmp"
	"errors"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
)

var poolStatusOf = resourcev1alpha3.SchemeGroupVersion.WithResource("resourcepoolstatusrequests")

// reportPools answers requests for the status of pools.
func (c *Cluster) reportPools() error {
	if c.changes[poolStatusOf] == 0 {
		return nil
	}
	requests, err := listOf[resourcev1alpha3.ResourcePoolStatusRequest](c, poolStatusOf, "ResourcePoolStatusRequest")
	if err != nil {
		return err
	}
	for _, request := range requests {
		if request.Status != nil || !c.due("report pools", key(request)) {
			continue
		}
		published, slicesErr := c.slices()
		allocated, claimsErr := c.claims()
		taintRules, rulesErr := c.taintRules()
		if err := errors.Join(slicesErr, claimsErr, rulesErr); err != nil {
			return err
		}
		addTaints(published, taintRules)
		request.Status = poolStatus(request.Spec, published, allocated)
		if c.Mistakes.Miscounts != nil {
			c.Mistakes.Miscounts(request)
		}
		if err := c.update(poolStatusOf, request); err != nil {
			return err
		}
	}
	return nil
}

// poolStatus returns the answer to a request.
func poolStatus(spec resourcev1alpha3.ResourcePoolStatusRequestSpec, published []*resourceapi.ResourceSlice, allocated []*resourceapi.ResourceClaim) *resourcev1alpha3.ResourcePoolStatusRequestStatus {
	newest := map[string]int64{}
	for _, slice := range published {
		if slice.Spec.Driver == spec.Driver {
			newest[slice.Spec.Pool.Name] = max(newest[slice.Spec.Pool.Name], slice.Spec.Pool.Generation)
		}
	}
	byName, ofPool := map[string]*resourcev1alpha3.PoolStatus{}, map[string][]*resourceapi.ResourceSlice{}
	for _, slice := range published {
		name := slice.Spec.Pool.Name
		if slice.Spec.Driver != spec.Driver || slice.Spec.Pool.Generation < newest[name] || ptr.Deref(spec.PoolName, name) != name {
			continue
		}
		if byName[name] == nil {
			byName[name] = &resourcev1alpha3.PoolStatus{
				Driver: spec.Driver, PoolName: name, Generation: newest[name], NodeName: slice.Spec.NodeName, ResourceSliceCount: new(int32),
				TotalDevices: new(int32), AllocatedDevices: new(int32), AvailableDevices: new(int32), UnavailableDevices: new(int32),
			}
		}
		addSlice(byName[name], slice, allocated)
		ofPool[name] = append(ofPool[name], slice)
	}
	var pools []resourcev1alpha3.PoolStatus
	for name, p := range byName {
		p.PartitionSummary = partitionTypes(ofPool[name], ptr.Deref(spec.DefaultPartitionTypeAttribute, ""), allocated)
		*p.AvailableDevices = *p.TotalDevices - *p.AllocatedDevices - *p.UnavailableDevices
		pools = append(pools, *p)
	}
	slices.SortFunc(pools, func(a, b resourcev1alpha3.PoolStatus) int { return cmp.Compare(a.PoolName, b.PoolName) })
	return &resourcev1alpha3.ResourcePoolStatusRequestStatus{
		PoolCount: ptr.To(int32(len(pools))), //nolint:gosec // There are few pools.
		Pools:     pools[:min(len(pools), int(ptr.Deref(spec.Limit, resourcev1alpha3.ResourcePoolStatusRequestLimitDefault)))],
		Conditions: []metav1.Condition{{
			Type: resourcev1alpha3.ResourcePoolStatusRequestConditionComplete, Status: metav1.ConditionTrue, Reason: "Counted", LastTransitionTime: metav1.Now(),
		}},
	}
}

// addSlice adds the devices of a slice to the status of its pool.
func addSlice(p *resourcev1alpha3.PoolStatus, slice *resourceapi.ResourceSlice, allocated []*resourceapi.ResourceClaim) {
	*p.ResourceSliceCount++
	for i := range slice.Spec.Devices {
		device := &slice.Spec.Devices[i]
		*p.TotalDevices++
		results := heldBy(allocated, slice.Spec.Driver, slice.Spec.Pool.Name, device.Name)
		switch {
		case len(results) > 0:
			*p.AllocatedDevices++
		case slices.ContainsFunc(device.Taints, func(t resourceapi.DeviceTaint) bool { return keepsAway.Has(t.Effect) }):
			*p.UnavailableDevices++
		}
		if ptr.Deref(device.AllowMultipleAllocations, false) {
			addShares(p, device, results)
		}
	}
}

// keepsAway has the effects of taints that keep pods off a device.
var keepsAway = sets.New(resourceapi.DeviceTaintEffectNoSchedule, resourceapi.DeviceTaintEffectNoExecute)

// heldBy returns the allocations that hold a device.
func heldBy(allocated []*resourceapi.ResourceClaim, driver, pool, device string) []resourceapi.DeviceRequestAllocationResult {
	var all []resourceapi.DeviceRequestAllocationResult
	for _, claim := range allocated {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, r := range claim.Status.Allocation.Devices.Results {
			if r.Driver == driver && r.Pool == pool && r.Device == device && !ptr.Deref(r.AdminAccess, false) {
				all = append(all, r)
			}
		}
	}
	return all
}

// addShares adds a shared device and its capacity to the status of its pool.
func addShares(p *resourcev1alpha3.PoolStatus, device *resourceapi.Device, results []resourceapi.DeviceRequestAllocationResult) {
	if p.ShareableSummary == nil {
		p.ShareableSummary = &resourcev1alpha3.ShareableSummaryStatus{FullyAvailableDevices: new(int32), PartiallyAvailableDevices: new(int32)}
	}
	s := p.ShareableSummary
	if len(results) == 0 {
		*s.FullyAvailableDevices++
	} else {
		*s.PartiallyAvailableDevices++
	}
	for name, capacity := range device.Capacity {
		i := slices.IndexFunc(s.Capacity, func(c resourcev1alpha3.ShareableCapacityStatus) bool { return c.Name == string(name) })
		if i < 0 {
			i = len(s.Capacity)
			s.Capacity = append(s.Capacity, resourcev1alpha3.ShareableCapacityStatus{Name: string(name), Total: new(resource.Quantity), Consumed: new(resource.Quantity), Available: new(resource.Quantity)})
		}
		c := s.Capacity[i]
		c.Total.Add(capacity.Value)
		c.Available.Add(capacity.Value)
		for _, r := range results {
			c.Consumed.Add(r.ConsumedCapacity[name])
			c.Available.Sub(r.ConsumedCapacity[name])
		}
	}
}
