// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/features"
)

// Roles has the devices of a driver by their role in specs. A device may have
// several roles.
type Roles struct {
	// Exclusive has devices of any type that are allocated to at most one claim.
	Exclusive *Exclusive `json:"exclusive,omitempty"`
	// Partitions has partitions of devices, which consume shared counters
	// (KEP-4815).
	Partitions *Partitions `json:"partitions,omitempty"`
	// Shared has devices of which several claims can have a share (KEP-5075).
	Shared *Shared `json:"shared,omitempty"`
	// MultiHost has devices that span several nodes (KEP-4815).
	MultiHost *MultiHost `json:"multiHost,omitempty"`
}

// Exclusive has devices that are allocated to at most one claim.
type Exclusive struct {
	// Device selects the devices. Each node should have at least four of them:
	// a pod that does not find a free device fails the spec.
	Device Device `json:"device"`
	// Parents describes the parents of the devices. A device that is not a part
	// of another one is its own parent. Default: unknown.
	Parents *Parents `json:"parents,omitempty"`
	// Configured is a configuration of the devices, and what containers see of it.
	// Default: there is none, or containers do not see it.
	Configured *Configured `json:"configured,omitempty"`
	// Features lists the features that a cluster needs for these devices, such
	// as partitionable-devices if they are partitions. Default: none.
	Features []features.Feature `json:"features,omitempty"`
}

// Configured is a configuration that containers see the effect of.
type Configured struct {
	// Config is the configuration. Claims and classes can have it.
	Config Config `json:"config"`
	// Seen matches something in a container whose device has the configuration,
	// and nothing in a container whose device does not have it. The group
	// (?P<driver>...) has its usual meaning, and there are no others.
	Seen Pattern `json:"seen"`
}

// Partitions has devices that consume the shared counters of one parent.
type Partitions struct {
	// Parents describes the parents of the partitions. Default: unknown.
	Parents *Parents `json:"parents,omitempty"`
	// Profile is the qualified name of an attribute. Its value is equal for
	// partitions of one kind and differs between kinds. Default: there is none.
	Profile string `json:"profile,omitempty"`
	// Small selects partitions of one kind. Several of them fit on one parent.
	Small Device `json:"small"`
	// Big selects partitions of another kind. A parent has room for two of
	// them, or for one of them and one of small. Default: there is none.
	Big *Device `json:"big,omitempty"`
	// Mix lists at least two partitions of different kinds that fit on one
	// parent together. Default: there are none.
	Mix []Device `json:"mix,omitempty"`
	// Full lists partitions that fit on one parent together. They leave no room
	// for small on that parent. Default: there are none.
	Full []Device `json:"full,omitempty"`
}

// Shared has devices of which several claims can have a share.
type Shared struct {
	// Share selects one share. Several shares fit on one device.
	Share Device `json:"share"`
	// Identity is the qualified name of a string attribute whose value is
	// unique for each device. Default: there is none.
	Identity string `json:"identity,omitempty"`
	// Apart has two configurations that must not share a device. Default: there
	// are none.
	Apart *Apart `json:"apart,omitempty"`
}

// Apart has configurations of claims that must not share a device (KEP-5981).
type Apart struct {
	// Keys lists the attribute keys for which one and other state different
	// affinity values. Default: none, the driver does not use such keys.
	Keys []string `json:"keys,omitempty"`
	// One is the configuration of the first claim.
	One Config `json:"one"`
	// Other is the configuration of a claim that must not share a device with
	// the first.
	Other Config `json:"other"`
	// Contradicts is a configuration that contradicts one. The driver must fail
	// to prepare a claim with both. Default: there is none.
	Contradicts *Config `json:"contradicts,omitempty"`
}

// MultiHost has devices that span several nodes. The pods on these nodes use
// the same claim.
type MultiHost struct {
	// Pair selects devices that span two nodes. There should be several.
	Pair Device `json:"pair"`
	// Quad selects devices that span four nodes. Default: there are none.
	Quad *Device `json:"quad,omitempty"`
	// Part describes how a container sees which part of the device is on its
	// node. Default: it does not see that.
	Part *HostPart `json:"part,omitempty"`
	// Withdrawn is a label that withdraws a node from the driver: while a node has it,
	// the devices that span the node are not available. Either they select no node, they
	// have taints, or the driver does not publish them. Specs set the label on a node
	// and remove it again. Default: there is no such label.
	Withdrawn *NodeLabel `json:"withdrawn,omitempty"`
}

// NodeLabel is a label of nodes.
type NodeLabel struct {
	// Key is the key of the label.
	Key string `json:"key"`
	// Value is the value of the label. Default: the empty value.
	Value string `json:"value,omitempty"`
}

// Parents describes the parent devices. A device is a parent itself or a part
// of one.
type Parents struct {
	// Attribute is the qualified name of a string attribute. A whole device and
	// all its parts have the same value; devices of other parents have other
	// values.
	Attribute string `json:"attribute"`
	// Whole selects whole devices. A whole device can be allocated while no
	// part of its parent is allocated.
	Whole Device `json:"whole"`
}

// Device describes a request. Exactly one of class and inlineClass is set.
type Device struct {
	// Class is the name of an existing DeviceClass.
	Class string `json:"class,omitempty"`
	// InlineClass describes a DeviceClass that exists during the run.
	InlineClass *InlineClass `json:"inlineClass,omitempty"`
	// Selectors lists CEL expressions that devices must satisfy in addition to
	// those of the class. At most 32. Default: none.
	Selectors []string `json:"selectors,omitempty"`
	// Capacity is the requested capacity of a device with
	// allowMultipleAllocations, by qualified name. Default: that of the device's
	// request policies.
	Capacity map[string]resource.Quantity `json:"capacity,omitempty"`
	// Count is the number of devices that a request has to ask for, for drivers
	// that only prepare all devices of a node together. From 1 to 32. Default:
	// 1.
	Count int64 `json:"count,omitempty"`
	// Config lists configurations of the request. Default: none.
	Config []Config `json:"config,omitempty"`
}

// InlineClass describes a DeviceClass.
type InlineClass struct {
	// Selectors lists the CEL expressions of the class. At least one, at most
	// 32.
	Selectors []string `json:"selectors"`
	// Config lists the configurations of the class. Default: none.
	Config []Config `json:"config,omitempty"`
}

// Config is an opaque device configuration.
type Config struct {
	// Driver is the driver that the parameters are for. Default: this driver.
	Driver string `json:"driver,omitempty"`
	// Parameters is an object of the driver's own API. At most 10 KiB of JSON.
	Parameters runtime.RawExtension `json:"parameters"`
}
