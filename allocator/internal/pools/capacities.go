// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pools

import (
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/allocator/internal/number"
)

// Capacities is the capacities of one device in ascending order of their names.
type Capacities struct {
	Names  []resourceapi.QualifiedName
	Values []number.N
}

type capacitiesColumn struct{}

// Capacities returns the capacities of device i.
func (s *Slice) Capacities(i int) *Capacities {
	return &s.Column(capacitiesColumn{}, func() any {
		list := make([]Capacities, s.Len())
		for i := range list {
			capacity := s.API.Spec.Devices[i].Capacity
			if len(capacity) == 0 {
				continue
			}
			list[i].Names = slices.Sorted(maps.Keys(capacity))
			for _, name := range list[i].Names {
				list[i].Values = append(list[i].Values, number.From(capacity[name].Value))
			}
		}
		return list
	}).([]Capacities)[i]
}
