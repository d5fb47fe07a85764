// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package subject describes the drivers under test for specs: which devices to
// request, and what a container sees of them. The descriptions come from driver
// files, also those of the suite's fake drivers. Specs never name a driver.
package subject

import (
	"fmt"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// Subject describes the devices that specs use. They have several kinds and
// belong to one driver or to several. A kind that no driver offers is nil.
type Subject struct {
	Exclusive  *Exclusive
	Partitions *Partitions
	MultiHost  *MultiHost
	Shared     *Shared
	// Seen returns what a container sees of the devices of all drivers.
	Seen func(Container) (Seen, error)
	// Classes lists the DeviceClasses that have to exist in addition to those
	// that the drivers bring along.
	Classes []resourceapi.DeviceClass
	// Positions has the place in a driver file where a kind is described, or
	// could be. It has no place for the suite's own drivers.
	Positions map[Kind]string
	// Pods has what pods with devices of a driver need in order to run, by the
	// name of the driver.
	Pods map[string]driverfile.Pods
	// Visible has what containers see of devices, by the name of the driver.
	Visible map[string]Visible
	// Capabilities has what the driver files say about capabilities, by the name
	// of the driver.
	Capabilities map[string]map[Capability]Answer
}

// Selector is a CEL expression over a device, as in the selectors of a request.
type Selector string

// Device describes a request for one device.
type Device struct {
	// Driver is the name of the DRA driver of the device.
	Driver string
	// Class is the DeviceClass of the request.
	Class string
	// Selector restricts the request to a subset of the class. It is combined
	// with the selectors of the class.
	Selector Selector
	// Capacity is the requested capacity of a device with
	// allowMultipleAllocations.
	Capacity map[resourceapi.QualifiedName]resource.Quantity
	// Count is the number of devices that the request has to ask for. Zero means
	// 1.
	Count int64
	// Config lists configurations of the request.
	Config []resourceapi.DeviceConfiguration
}

// Kind is a kind of device.
type Kind string

// The kinds of devices.
const (
	// KindExclusive is a device that is allocated to at most one claim.
	KindExclusive Kind = "exclusive"
	// KindPartition is a partition of a device (KEP-4815).
	KindPartition Kind = "partition"
	// KindMultiHost is a device that spans several nodes (KEP-4815).
	KindMultiHost Kind = "multi-host"
	// KindShared is a device that several claims share (KEP-5075).
	KindShared Kind = "shared"
)

// Drivers returns the names of the drivers, sorted.
func (s Subject) Drivers() []string {
	var names []string
	if s.Exclusive != nil {
		names = append(names, s.Exclusive.Device.Driver)
	}
	if s.Partitions != nil {
		names = append(names, s.Partitions.Small.Driver)
	}
	if s.MultiHost != nil {
		names = append(names, s.MultiHost.Pair.Driver)
	}
	if s.Shared != nil {
		names = append(names, s.Shared.Share.Driver)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Only returns the subject with only the given kinds of devices.
func (s Subject) Only(kinds []Kind) Subject {
	only := Subject{Seen: s.Seen, Classes: s.Classes, Positions: s.Positions, Pods: s.Pods, Visible: s.Visible, Capabilities: s.Capabilities}
	for _, kind := range kinds {
		switch kind {
		case KindExclusive:
			only.Exclusive = s.Exclusive
		case KindPartition:
			only.Partitions = s.Partitions
		case KindMultiHost:
			only.MultiHost = s.MultiHost
		case KindShared:
			only.Shared = s.Shared
		}
	}
	return only
}

// Needs returns the features that devices of the given kinds need. They are
// needed in addition to the features of the spec that uses the devices.
func (s Subject) Needs(kinds []Kind) []features.Feature {
	if s.Exclusive == nil || !slices.Contains(kinds, KindExclusive) {
		return nil
	}
	return s.Exclusive.Needs
}

// with restricts a request to devices whose string attribute has the given
// value.
func (d Device) with(attribute, value string) Device {
	domain, name := split(attribute)
	if domain == "" {
		domain = d.Driver
	}
	has := fmt.Sprintf("device.attributes[%q].%s == %q", domain, name, value)
	if d.Selector != "" {
		has = fmt.Sprintf("(%s) && %s", d.Selector, has)
	}
	d.Selector = Selector(has)
	return d
}

// split splits a qualified name. Without a domain, the name is all of it.
func split(qualified string) (domain, name string) {
	domain, name, ok := strings.Cut(qualified, "/")
	if !ok {
		return "", qualified
	}
	return domain, name
}
