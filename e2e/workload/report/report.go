// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package report collects what a process in a container of a test pod can see
// of devices. It does not interpret it, because drivers expose devices in
// different ways. The package uses only the standard library.
package report

// The version and the kind of reports.
const (
	APIVersion = "draconform.dev/v1alpha2"
	Kind       = "Devices"
)

// Report is the line of JSON that the workload prints.
type Report struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	// Env has all environment variables.
	Env map[string]string `json:"env,omitempty"`
	// DeviceNodes lists the paths of the device nodes below /dev, sorted.
	DeviceNodes []string `json:"deviceNodes,omitempty"`
	// Mounts lists the mount points, sorted.
	Mounts []string `json:"mounts,omitempty"`
	// Interfaces lists the network interfaces.
	Interfaces []Interface `json:"interfaces,omitempty"`
	// Metadata has the contents of the device metadata files by their paths
	// (KEP-5304).
	Metadata map[string]string `json:"metadata,omitempty"`
	// Errors has the reasons why something could not be collected completely,
	// by the name of the field.
	Errors map[string]string `json:"errors,omitempty"`
}

// The names of fields in Errors.
const (
	FieldDeviceNodes = "deviceNodes"
	FieldMounts      = "mounts"
	FieldInterfaces  = "interfaces"
	FieldMetadata    = "metadata"
)

// Interface is a network interface.
type Interface struct {
	Name string `json:"name"`
	// Address is the hardware address, such as 02:42:ac:11:00:02.
	Address string `json:"address,omitempty"`
}
