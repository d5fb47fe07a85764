// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"cmp"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/rules"
)

// partitionType is a value of the attribute with the type of partitions.
type partitionType struct{ attribute, value string }

// remainder is what is left of the counters of a pool, by counter set and name.
type remainder map[string]map[string]resource.Quantity

// partitionTypes returns the number of partitions of a pool by type, and for how
// many more of them the counters suffice. The attribute of a request is used if no
// slice states one.
func partitionTypes(pool []*resourceapi.ResourceSlice, ofRequest string, allocated []*resourceapi.ResourceClaim) []resourcev1alpha3.PartitionTypeStatus {
	if slices.ContainsFunc(pool, func(s *resourceapi.ResourceSlice) bool { return s.Spec.PartitionTypeAttribute != nil }) {
		ofRequest = ""
	}
	total, unused, used := map[partitionType]int32{}, map[partitionType][]resourceapi.Device{}, []resourceapi.Device{}
	for _, slice := range pool {
		attribute := cmp.Or(string(ptr.Deref(slice.Spec.PartitionTypeAttribute, "")), ofRequest)
		for _, device := range slice.Spec.Devices {
			held := len(heldBy(allocated, slice.Spec.Driver, slice.Spec.Pool.Name, device.Name)) > 0
			if held {
				used = append(used, device)
			}
			if attribute == "" || len(device.ConsumesCounters) == 0 {
				continue
			}
			value, _ := rules.Lookup(device.Attributes, slice.Spec.Driver, attribute)
			of := partitionType{attribute, ptr.Deref(value.StringValue, "")}
			total[of]++
			if !held {
				unused[of] = append(unused[of], device)
			}
		}
	}
	var all []resourcev1alpha3.PartitionTypeStatus
	for of, n := range total {
		left := remainderOf(pool)
		left.take(used)
		all = append(all, resourcev1alpha3.PartitionTypeStatus{Attribute: of.attribute, Type: of.value, Total: &n, Allocatable: ptr.To(left.take(unused[of]))})
	}
	return all
}

// remainderOf returns all counters of a pool.
func remainderOf(pool []*resourceapi.ResourceSlice) remainder {
	left := remainder{}
	for _, slice := range pool {
		for _, set := range slice.Spec.SharedCounters {
			left[set.Name] = map[string]resource.Quantity{}
			for name, counter := range set.Counters {
				left[set.Name][name] = counter.Value.DeepCopy()
			}
		}
	}
	return left
}

// take consumes the counters of each device for which they suffice, and returns
// the number of these devices.
func (r remainder) take(all []resourceapi.Device) (n int32) {
	for _, device := range all {
		if !r.suffices(device) {
			continue
		}
		for _, consumed := range device.ConsumesCounters {
			for name, counter := range consumed.Counters {
				left := r[consumed.CounterSet][name]
				left.Sub(counter.Value)
				r[consumed.CounterSet][name] = left
			}
		}
		n++
	}
	return n
}

func (r remainder) suffices(device resourceapi.Device) bool {
	for _, consumed := range device.ConsumesCounters {
		for name, counter := range consumed.Counters {
			if left := r[consumed.CounterSet][name]; left.Cmp(counter.Value) < 0 {
				return false
			}
		}
	}
	return true
}
