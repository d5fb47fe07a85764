// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	"cmp"
)

// Answer says whether a driver has a capability.
type Answer string

// The answers.
const (
	// Yes: specs fail if the driver does not have the capability.
	Yes Answer = "yes"
	// No: specs that need the capability are not applicable.
	No Answer = "no"
	// FindOut: the run finds out whether the driver has the capability.
	FindOut Answer = "find-out"
)

// Values returns the valid answers.
func (Answer) Values() []string { return []string{string(Yes), string(No), string(FindOut)} }

// Capabilities says what a driver can do. The default of each is find-out.
type Capabilities struct {
	// AdminAccess: claims with admin access get devices that are in use
	// (KEP-5018).
	AdminAccess Answer `json:"adminAccess,omitempty"`
	// BindingConditions: devices have binding conditions (KEP-5007).
	BindingConditions Answer `json:"bindingConditions,omitempty"`
	// CDI: prepared devices have CDI device IDs. A driver of network interfaces
	// may have none.
	CDI Answer `json:"cdi,omitempty"`
	// CDIRestoration: a driver that is started again writes CDI files that are
	// gone when it prepares their claims again. A driver need not that tells by the
	// ID of the boot that its node was not rebooted.
	CDIRestoration Answer `json:"cdiRestoration,omitempty"`
	// ClaimSharing: several pods of a node can use a claim at the same time. A
	// network interface can be in one pod only.
	ClaimSharing Answer `json:"claimSharing,omitempty"`
	// ContainerSharing: several containers of a pod can use a claim, at the same time
	// or one after the other. CPUs and memory may be for one container only.
	ContainerSharing Answer `json:"containerSharing,omitempty"`
	// DeviceMetadata: containers get device metadata files (KEP-5304).
	DeviceMetadata Answer `json:"deviceMetadata,omitempty"`
	// DeviceStatus: the driver reports the status of devices in their claims
	// (KEP-4817).
	DeviceStatus Answer `json:"deviceStatus,omitempty"`
	// DeviceTaints: the driver publishes taints of devices (KEP-5055).
	DeviceTaints Answer `json:"deviceTaints,omitempty"`
	// ExtendedResource: a DeviceClass of the driver has the name of an extended
	// resource (KEP-5004).
	ExtendedResource Answer `json:"extendedResource,omitempty"`
	// Health: the driver reports the health of devices to the kubelet
	// (KEP-4680).
	Health Answer `json:"health,omitempty"`
	// NodeOperations: the kubelet calls the driver to prepare claims. Devices
	// without node operations need no call.
	NodeOperations Answer `json:"nodeOperations,omitempty"`
	// RollingUpdate: a new pod of the driver starts on a node before the old one
	// has ended.
	RollingUpdate Answer `json:"rollingUpdate,omitempty"`
}

// Capability is the name of a capability with the answer for a driver.
type Capability struct {
	Name   string `json:"name"`
	Answer Answer `json:"answer"`
}

// List returns the capabilities with their answers, sorted by name.
func (c Capabilities) List() []Capability {
	all := []Capability{
		{"adminAccess", c.AdminAccess},
		{"bindingConditions", c.BindingConditions},
		{"cdi", c.CDI},
		{"cdiRestoration", c.CDIRestoration},
		{"claimSharing", c.ClaimSharing},
		{"containerSharing", c.ContainerSharing},
		{"deviceMetadata", c.DeviceMetadata},
		{"deviceStatus", c.DeviceStatus},
		{"deviceTaints", c.DeviceTaints},
		{"extendedResource", c.ExtendedResource},
		{"health", c.Health},
		{"nodeOperations", c.NodeOperations},
		{"rollingUpdate", c.RollingUpdate},
	}
	for i := range all {
		all[i].Answer = cmp.Or(all[i].Answer, FindOut)
	}
	return all
}
