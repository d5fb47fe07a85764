// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject/driverfile"
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

// OfParent restricts a request to the devices of one parent.
func (p Parents) OfParent(device Device, parent string) Device {
	return device.with(p.Parent, parent)
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
	// By describes what shows it to containers, as in "environment variables GPU_\d+_SHARING".
	By string
	// Seen reports whether a container sees that its device has the configuration, and
	// what it sees instead that could show it.
	Seen func(Container) (configured bool, instead []string, err error)
	// OfPod is set if all containers of a pod see it, and not only those with the
	// device.
	OfPod bool
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
	// Withdrawn is a label that withdraws a node from the driver. Devices that span such
	// a node are not available. The key is empty if there is none.
	Withdrawn driverfile.NodeLabel
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

// Of restricts a request for a share to one device.
func (s Shared) Of(identity string) Device { return s.Share.with(s.Identity, identity) }

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
