// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// The functions below iterate over parts of objects, each with its place.

var (
	spec        = field.NewPath("spec")
	devicesPath = spec.Child("devices")
	setsPath    = spec.Child("sharedCounters")
)

func kindOf(object metav1.Object) string {
	switch object.(type) {
	case *resourceapi.ResourceSlice:
		return "ResourceSlice"
	case *resourceapi.DeviceClass:
		return "DeviceClass"
	case *resourceapi.ResourceClaim:
		return "ResourceClaim"
	case *resourceapi.ResourceClaimTemplate:
		return "ResourceClaimTemplate"
	default:
		return "Node"
	}
}

func (p *pass) devices() iter.Seq2[place, *resourceapi.Device] {
	return devicesOf(p.objects.Slices)
}

func devicesOf(list []*resourceapi.ResourceSlice) iter.Seq2[place, *resourceapi.Device] {
	return func(yield func(place, *resourceapi.Device) bool) {
		for _, slice := range list {
			for i := range slice.Spec.Devices {
				if !yield(place{slice, devicesPath.Index(i)}, &slice.Spec.Devices[i]) {
					return
				}
			}
		}
	}
}

func (p *pass) counterSets() iter.Seq2[place, *resourceapi.CounterSet] {
	return counterSetsOf(p.objects.Slices)
}

func counterSetsOf(list []*resourceapi.ResourceSlice) iter.Seq2[place, *resourceapi.CounterSet] {
	return func(yield func(place, *resourceapi.CounterSet) bool) {
		for _, slice := range list {
			for i := range slice.Spec.SharedCounters {
				if !yield(place{slice, setsPath.Index(i)}, &slice.Spec.SharedCounters[i]) {
					return
				}
			}
		}
	}
}

// consumptions iterates over the consumptions of devices.
func (p *pass) consumptions() iter.Seq2[place, *resourceapi.DeviceCounterConsumption] {
	return func(yield func(place, *resourceapi.DeviceCounterConsumption) bool) {
		for at, device := range p.devices() {
			for i := range device.ConsumesCounters {
				if !yield(at.child("consumesCounters").index(i), &device.ConsumesCounters[i]) {
					return
				}
			}
		}
	}
}

// counters iterates over the counters of counter sets and of consumptions.
func (p *pass) counters() iter.Seq2[place, map[string]resourceapi.Counter] {
	return func(yield func(place, map[string]resourceapi.Counter) bool) {
		for at, set := range p.counterSets() {
			if !yield(at.child("counters"), set.Counters) {
				return
			}
		}
		for at, consumption := range p.consumptions() {
			if !yield(at.child("counters"), consumption.Counters) {
				return
			}
		}
	}
}

// claims iterates over the specs of claims and of claim templates.
func (p *pass) claims() iter.Seq2[place, *resourceapi.DeviceClaim] {
	return func(yield func(place, *resourceapi.DeviceClaim) bool) {
		for _, claim := range p.objects.Claims {
			if !yield(place{claim, devicesPath}, &claim.Spec.Devices) {
				return
			}
		}
		for _, template := range p.objects.Templates {
			if !yield(place{template, spec.Child("spec", "devices")}, &template.Spec.Spec.Devices) {
				return
			}
		}
	}
}

// request is what requests and subrequests have in common.
type request struct {
	claim     *resourceapi.DeviceClaim
	name      string // As in results: the request's, or request/subrequest.
	class     string
	selectors []resourceapi.DeviceSelector
	mode      resourceapi.DeviceAllocationMode
	count     int64
}

func (p *pass) requests() iter.Seq2[place, request] {
	return func(yield func(place, request) bool) {
		for at, claim := range p.claims() {
			for i := range claim.Requests {
				r := &claim.Requests[i]
				at := at.child("requests").index(i)
				if e := r.Exactly; e != nil && !yield(at.child("exactly"), request{claim, r.Name, e.DeviceClassName, e.Selectors, e.AllocationMode, e.Count}) {
					return
				}
				for j := range r.FirstAvailable {
					s := &r.FirstAvailable[j]
					name := fmt.Sprintf("%s/%s", r.Name, s.Name)
					if !yield(at.child("firstAvailable").index(j), request{claim, name, s.DeviceClassName, s.Selectors, s.AllocationMode, s.Count}) {
						return
					}
				}
			}
		}
	}
}

// selectors iterates over the lists of selectors of classes and requests.
func (p *pass) selectors() iter.Seq2[place, []resourceapi.DeviceSelector] {
	return func(yield func(place, []resourceapi.DeviceSelector) bool) {
		for _, class := range p.objects.Classes {
			if !yield(place{class, spec.Child("selectors")}, class.Spec.Selectors) {
				return
			}
		}
		for at, r := range p.requests() {
			if !yield(at.child("selectors"), r.selectors) {
				return
			}
		}
	}
}

// configurations iterates over the configuration of classes, claims and templates.
func (p *pass) configurations() iter.Seq2[place, *resourceapi.DeviceConfiguration] {
	return func(yield func(place, *resourceapi.DeviceConfiguration) bool) {
		for _, class := range p.objects.Classes {
			for i := range class.Spec.Config {
				if !yield(place{class, spec.Child("config").Index(i)}, &class.Spec.Config[i].DeviceConfiguration) {
					return
				}
			}
		}
		for at, claim := range p.claims() {
			for i := range claim.Config {
				if !yield(at.child("config").index(i), &claim.Config[i].DeviceConfiguration) {
					return
				}
			}
		}
	}
}

func sorted[K ~string, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
