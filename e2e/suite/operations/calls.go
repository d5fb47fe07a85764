// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package operations

import (
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/control"
)

// Types of the control endpoint of a driver.
type (
	// Call is a call of the kubelet that a driver has recorded.
	Call = calls.Call
	// Fault makes the next calls of a driver fail.
	Fault = calls.Fault
	// Action is the effect of a fault on a call.
	Action = calls.Action
	// Status is the state of a driver on a node.
	Status = control.Status
	// Published describes the devices that a driver publishes on a node.
	Published = control.Published
	// PublishedDevices are the devices without what is added to them.
	PublishedDevices = control.Devices
	// Health is the health of devices that a driver reports to the kubelet, by
	// the name of the device. Devices without an entry are healthy.
	Health = control.Health
	// ReportedHealth is the health of one device.
	ReportedHealth = control.DeviceHealth
	// Disk is the state of the disks that a driver writes to.
	Disk = claims.Disk
	// Damage is what happens to the checkpoint of a driver.
	Damage = control.Damage
	// CheckpointDamage is a kind of damage.
	CheckpointDamage = claims.Damage
	// AffinityRule is the rule by which a driver rejects different affinity
	// values on the same device (KEP-5981).
	AffinityRule = affinity.Rule
	// AffinityDeclaration lists the keys of affinity values that a device
	// declares (KEP-5981).
	AffinityDeclaration = affinity.Declaration
)

// What drivers report about the health of a device.
const (
	// Unhealthy is the health of a device that does not work.
	Unhealthy = kubeletplugin.HealthStatusUnhealthy
	// UnknownHealth is the health of a device that the driver cannot find out.
	UnknownHealth = kubeletplugin.HealthStatusUnknown
)

// The methods of the kubelet's DRA gRPC API.
const (
	Prepare   = calls.Prepare
	Unprepare = calls.Unprepare
)

// The kinds of damage of a checkpoint.
const (
	Truncated = claims.Truncated
	Zeroed    = claims.Zeroed
	Lost      = claims.Lost
	Older     = claims.Older
)

// The actions of faults.
const (
	Fail           = calls.Fail
	FailClaims     = calls.FailClaims
	OmitClaims     = calls.OmitClaims
	OmitCDIDevices = calls.OmitCDIDevices
	OmitRequests   = calls.OmitRequests
	Delay          = calls.Delay
	Hang           = calls.Hang
	Lose           = calls.Lose
)
