// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"
	"slices"

	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// Capability is something that a driver may do and need not. Its value is the
// path in a driver file that says whether the driver does it.
type Capability string

// The capabilities that specs need.
const (
	// AdminAccess is that claims with admin access get devices in use (KEP-5018).
	AdminAccess Capability = capabilities + "adminAccess"
	// DeviceMetadata is device metadata files in containers (KEP-5304).
	DeviceMetadata Capability = capabilities + "deviceMetadata"
	// NodeOperations is calls of the kubelet to prepare claims (KEP-5945).
	NodeOperations Capability = capabilities + "nodeOperations"
	// CDI is CDI devices for the devices of a prepared claim. A driver of network
	// interfaces may have none.
	CDI Capability = capabilities + "cdi"
	// CDIRestoration is that a driver writes CDI files again that are gone, also if
	// its node was not rebooted.
	CDIRestoration Capability = capabilities + "cdiRestoration"
	// ClaimSharing is that pods of a node can share a claim.
	ClaimSharing Capability = capabilities + "claimSharing"
	// ContainerSharing is that several containers of a pod can use a claim.
	ContainerSharing Capability = capabilities + "containerSharing"
	// DeviceStatus is the status of devices in their claims (KEP-4817).
	DeviceStatus Capability = capabilities + "deviceStatus"
	// Health is the health of devices, as drivers report it to the kubelet
	// (KEP-4680).
	Health Capability = capabilities + "health"
)

// capabilities is the beginning of the paths of capabilities.
const capabilities = "capabilities."

// Answer is what a driver file says about a capability of its driver.
type Answer struct {
	driverfile.Answer
	// Position is the place in the file. It is empty for the suite's own
	// drivers.
	Position string
}

// String returns the answer with its place.
func (a Answer) String() string {
	if a.Position == "" {
		return string(a.Answer)
	}
	return fmt.Sprintf("%s in %s", a.Answer, a.Position)
}

// answers returns what a driver file says about all capabilities.
func answers(d *driverfile.Driver) map[Capability]Answer {
	all := map[Capability]Answer{}
	for _, c := range d.Capabilities.List() {
		path := capabilities + c.Name
		all[Capability(path)] = Answer{c.Answer, d.Position(path)}
	}
	return all
}

// Denied returns a message about the first of the needed capabilities that a
// driver does not have according to its file, or an empty string. drivers are
// those whose devices the spec uses.
func (s Subject) Denied(needed []Capability, drivers []string) string {
	for _, driver := range drivers {
		i := slices.IndexFunc(needed, func(c Capability) bool { return s.Capabilities[driver][c].Answer == driverfile.No })
		if i >= 0 {
			return fmt.Sprintf("needs %s of driver %s, which is %s", needed[i], driver, s.Capabilities[driver][needed[i]])
		}
	}
	return ""
}
