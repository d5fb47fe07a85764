// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// DriverOfClass returns the name of the driver whose devices are requested with
// a DeviceClass. It is empty if no described device has this class.
func (s Subject) DriverOfClass(class string) string {
	for _, device := range s.devices() {
		if device.Class == class {
			return device.Driver
		}
	}
	return ""
}

// DeviceOf returns a request for a device of a kind, and whether a driver offers
// the kind.
func (s Subject) DeviceOf(kind Kind) (Device, bool) {
	switch {
	case !s.Offers(kind):
		return Device{}, false
	case kind == KindExclusive:
		return s.Exclusive.Device, true
	case kind == KindPartition:
		return s.Partitions.Small, true
	case kind == KindMultiHost:
		return s.MultiHost.Pair, true
	}
	return s.Shared.Share, true
}

// devices returns all described devices. Fields that are not described are
// devices without a class.
func (s Subject) devices() []Device {
	var all []Device
	if s.Exclusive != nil {
		all = append(all, s.Exclusive.Device, s.Exclusive.Whole)
	}
	if s.Partitions != nil {
		all = append(all, s.Partitions.Small, s.Partitions.Big, s.Partitions.Whole)
		all = slices.Concat(all, s.Partitions.Mix, s.Partitions.Full)
	}
	if s.MultiHost != nil {
		all = append(all, s.MultiHost.Pair, s.MultiHost.Quad)
	}
	if s.Shared != nil {
		all = append(all, s.Shared.Share)
	}
	return slices.DeleteFunc(all, func(d Device) bool { return d.Class == "" })
}

// PodsOf returns what pods need in order to run with devices of all of the
// drivers. It returns an error if that is not possible, because two drivers
// need different values where a pod has only one.
func (s Subject) PodsOf(drivers ...string) (driverfile.Pods, error) {
	merged := driverfile.Pods{NodeSelector: map[string]string{}, Labels: map[string]string{}}
	var errs []error
	for _, driver := range drivers {
		of := s.Pods[driver]
		errs = append(errs,
			mergeMap("nodeSelector", driver, merged.NodeSelector, of.NodeSelector),
			mergeMap("labels", driver, merged.Labels, of.Labels),
			mergeOne("runtimeClassName", driver, &merged.RuntimeClassName, of.RuntimeClassName),
			mergeOne("image", driver, &merged.Image, of.Image),
			mergeOne("securityContext", driver, &merged.SecurityContext, of.SecurityContext),
		)
		merged.Tolerations = append(merged.Tolerations, of.Tolerations...)
		merged.ImagePullSecrets = append(merged.ImagePullSecrets, of.ImagePullSecrets...)
		merged.Resources = mergeResources(merged.Resources, of.Resources)
	}
	slices.Sort(merged.ImagePullSecrets)
	merged.ImagePullSecrets = slices.Compact(merged.ImagePullSecrets)
	return merged, errors.Join(errs...)
}

func mergeMap(field, driver string, into, from map[string]string) error {
	for _, key := range slices.Sorted(maps.Keys(from)) {
		if value, ok := into[key]; ok && value != from[key] {
			return fmt.Errorf("pods.%s of driver %s has %s=%s, another driver of the same pod has %s=%s", field, driver, key, from[key], key, value)
		}
		into[key] = from[key]
	}
	return nil
}

func mergeOne[T any](field, driver string, into *T, from T) error {
	var unset T
	switch {
	case equality.Semantic.DeepEqual(from, unset):
	case equality.Semantic.DeepEqual(*into, unset):
		*into = from
	case !equality.Semantic.DeepEqual(*into, from):
		return fmt.Errorf("pods.%s of driver %s differs from that of another driver of the same pod", field, driver)
	}
	return nil
}

// mergeResources returns the larger of the amounts.
func mergeResources(a, b *driverfile.Resources) *driverfile.Resources {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return &driverfile.Resources{Requests: larger(a.Requests, b.Requests), Limits: larger(a.Limits, b.Limits)}
}

func larger(a, b map[corev1.ResourceName]resource.Quantity) map[corev1.ResourceName]resource.Quantity {
	all := maps.Clone(a)
	if all == nil {
		return b
	}
	for name, amount := range b {
		if of, ok := all[name]; !ok || of.Cmp(amount) < 0 {
			all[name] = amount
		}
	}
	return all
}
