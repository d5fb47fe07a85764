// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package subject describes the drivers under test for specs: which devices to
// request, and what a container sees of them. The descriptions come from driver
// files, also those of the suite's fake drivers. Specs never name a driver.
package subject

import (
	"fmt"
	"slices"

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

// Parents describes the parent devices. A device is a parent itself or a part
// of one. The fields are empty if the parents are not known.
type Parents struct {
	// Parent is the qualified name of a string attribute. A whole device and
	// all its parts have the same value; devices of other parents have other
	// values.
	Parent string
	// Whole selects whole devices. A whole device can be allocated while no
	// part of its parent is allocated.
	Whole Device
}

// Exclusive describes devices of any type that are allocated to at most one
// claim.
type Exclusive struct {
	// Parents describes the parents of the devices. A device that is not a part
	// is its own parent.
	Parents
	// Device selects the devices. Each node has at least four of them.
	Device Device
	// Configured is a configuration that containers see the effect of. It is nil if
	// there is none.
	Configured *Configured
	// Needs lists the features that these devices need in addition to the core
	// API.
	Needs []features.Feature
}

// Configured is a configuration of a device.
type Configured struct {
	Config resourceapi.DeviceConfiguration
	// Seen reports whether a container sees that its device has the configuration.
	Seen func(Container) (bool, error)
}

// Partitions describes devices that consume the shared counters of one parent
// (KEP-4815). Only Small is always set.
type Partitions struct {
	Parents
	// Profile is the qualified name of an attribute. Its value is equal for
	// partitions of one kind and differs between kinds.
	Profile string
	// Small selects partitions of one kind. Several of them fit on one parent.
	Small Device
	// Big selects partitions of another kind. A parent has room for two of
	// them, or for one of them and one of Small.
	Big Device
	// Mix lists partitions of different kinds that fit on one parent together.
	Mix []Device
	// Full lists partitions that fit on one parent together. They leave no room
	// for Small on that parent.
	Full []Device
}

// MultiHost describes devices that span several nodes. The pods on these nodes
// use the same claim.
type MultiHost struct {
	// Pair selects devices that span two nodes. There are several of them.
	Pair Device
	// Quad selects devices that span four nodes. It is empty if there are none.
	Quad Device
	// Part returns the part of the device that the container can use. The order
	// of the nodes is the same for all containers. Part is nil if containers do
	// not see their part.
	Part func(Container) (Part, error)
}

// Part is the part of a multi-host device on one node.
type Part = driverfile.Part

// Shared describes devices of which several claims can have a share.
type Shared struct {
	// Share selects one share. Several shares fit on one device.
	Share Device
	// Identity is the qualified name of a string attribute. Its value is unique
	// for each device. It is empty if there is none.
	Identity string
	// Apart has two affinity values that must not share a device (KEP-5981). It
	// is nil if the driver supports none.
	Apart *Apart
}

// Apart has the device configurations of claims that a driver must not let
// share a device (KEP-5981).
type Apart struct {
	// Keys lists the attribute keys for which One and Other state different
	// affinity values. It is empty if the driver does not use keys.
	Keys []string
	// One and Other are the configurations that state the two affinity values.
	One, Other resourceapi.DeviceConfiguration
	// Contradicts has parameters for the driver that contradict One. A claim
	// with both is invalid for the driver. It is empty if there are none.
	Contradicts resourceapi.DeviceConfiguration
}

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

// OfParent restricts a request to the devices of one parent.
func (p Parents) OfParent(device Device, parent string) Device {
	return device.with(p.Parent, parent)
}

// Of restricts a request for a share to one device.
func (s Shared) Of(identity string) Device { return s.Share.with(s.Identity, identity) }

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

// split splits a qualified name at its first slash.
func split(qualified string) (domain, name string) {
	for i := range qualified {
		if qualified[i] == '/' {
			return qualified[:i], qualified[i+1:]
		}
	}
	return "", qualified
}
