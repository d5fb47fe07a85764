// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakeapi

import (
	"fmt"
	"slices"
	"strconv"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// admit processes a slice before it is stored: it drops fields of disabled
// features, validates the slice and sets its name and resource version.
func (s *Server) admit(slice, old *resourceapi.ResourceSlice, dryRun bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.partitionable.keeps(dryRun) && (old == nil || !usesCounters(old)) {
		dropCounters(slice)
	}
	if !s.consumable.keeps(dryRun) && (old == nil || !usesSharing(old)) {
		dropSharing(slice)
	}
	if errs := s.validate(slice); len(errs) > 0 {
		return apierrors.NewInvalid(resourceapi.SchemeGroupVersion.WithKind("ResourceSlice").GroupKind(), slice.Name, errs)
	}
	s.writes++
	if slice.Name == "" {
		slice.Name = slice.GenerateName + strconv.Itoa(s.writes)
	}
	slice.ResourceVersion = strconv.Itoa(s.writes)
	return nil
}

func dropCounters(slice *resourceapi.ResourceSlice) {
	slice.Spec.SharedCounters = nil
	for i := range slice.Spec.Devices {
		slice.Spec.Devices[i].ConsumesCounters = nil
	}
}

func dropSharing(slice *resourceapi.ResourceSlice) {
	for i := range slice.Spec.Devices {
		device := &slice.Spec.Devices[i]
		device.AllowMultipleAllocations = nil
		for name, capacity := range device.Capacity {
			capacity.RequestPolicy = nil
			device.Capacity[name] = capacity
		}
	}
}

func usesSharing(slice *resourceapi.ResourceSlice) bool {
	return slices.ContainsFunc(slice.Spec.Devices, func(device resourceapi.Device) bool {
		return device.AllowMultipleAllocations != nil
	})
}

func usesCounters(slice *resourceapi.ResourceSlice) bool {
	for _, device := range slice.Spec.Devices {
		if len(device.ConsumesCounters) > 0 {
			return true
		}
	}
	return len(slice.Spec.SharedCounters) > 0
}

// validate implements the validation rules of the API that differ between
// releases.
func (s *Server) validate(slice *resourceapi.ResourceSlice) field.ErrorList {
	spec := field.NewPath("spec")
	if s.separateCounters {
		if slice.Spec.SharedCounters != nil && slice.Spec.Devices != nil {
			return field.ErrorList{field.Invalid(spec, "", "only one of `sharedCounters` or `devices` is allowed")}
		}
		return nil
	}
	defined := map[string]bool{}
	for _, set := range slice.Spec.SharedCounters {
		defined[set.Name] = true
	}
	var errs field.ErrorList
	for i, device := range slice.Spec.Devices {
		for _, consumption := range device.ConsumesCounters {
			if !defined[consumption.CounterSet] {
				errs = append(errs, field.Invalid(spec.Child("devices").Index(i), consumption.CounterSet,
					fmt.Sprintf("must reference a counterSet defined in the ResourceSlice %s", slice.Name)))
			}
		}
	}
	return errs
}
