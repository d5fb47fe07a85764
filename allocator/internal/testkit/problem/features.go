// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package problem

import (
	"encoding/json"
	"fmt"
	"reflect"

	"k8s.io/dynamic-resource-allocation/structured"
)

// DefaultFeatures are the features that are enabled by default in Kubernetes
// 1.37.
var DefaultFeatures = structured.Features{
	AdminAccess:             true,
	ConsumableCapacity:      true,
	DeviceBindingAndStatus:  true,
	DeviceTaints:            true,
	FractionalCapacityRange: true,
	PartitionableDevices:    true,
	PrioritizedList:         true,
}

// AllFeatures are all features of the allocator of Kubernetes 1.37.
var AllFeatures = structured.Features{
	AdminAccess:             true,
	CompatibilityGroups:     true,
	ConsumableCapacity:      true,
	DerivedAttributes:       true,
	DeviceBindingAndStatus:  true,
	DeviceTaints:            true,
	FractionalCapacityRange: true,
	ListTypeAttributes:      true,
	OptionalNodeOperations:  true,
	PartitionableDevices:    true,
	PrioritizedList:         true,
}

// Features is encoded as the word all, or as the list of the names of the
// enabled features, such as [PartitionableDevices, DeviceTaints].
type Features structured.Features

// MarshalJSON encodes the word or the list.
func (f Features) MarshalJSON() ([]byte, error) {
	if structured.Features(f) == AllFeatures {
		return json.Marshal("all")
	}
	names := []string{}
	v := reflect.ValueOf(f)
	for i := range v.NumField() {
		if v.Field(i).Bool() {
			names = append(names, v.Type().Field(i).Name)
		}
	}
	return json.Marshal(names)
}

// UnmarshalJSON decodes the word or the list.
func (f *Features) UnmarshalJSON(data []byte) error {
	var word string
	if json.Unmarshal(data, &word) == nil {
		if word != "all" {
			return fmt.Errorf("features are %q, want all or a list of names", word)
		}
		*f = Features(AllFeatures)
		return nil
	}
	var names []string
	if err := json.Unmarshal(data, &names); err != nil {
		return fmt.Errorf("decode features: %w", err)
	}
	*f = Features{}
	for _, name := range names {
		field := reflect.ValueOf(f).Elem().FieldByName(name)
		if !field.IsValid() {
			return fmt.Errorf("no feature is called %q", name)
		}
		field.SetBool(true)
	}
	return nil
}
