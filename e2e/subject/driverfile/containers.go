// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driverfile

import (
	"fmt"
)

// Source is one way in which a container sees devices. Exactly one of metadata,
// environment, deviceNodes, mounts and interfaces is set.
//
// The patterns are regular expressions that match the whole text. Their named
// groups identify a device: (?P<device>...) and (?P<pool>...) are the names of
// the device and of its pool, (?P<attribute>...) is the value of the attribute
// that the field attribute names, and (?P<driver>...) is the name of a driver:
// matches with another name than this driver's are ignored.
type Source struct {
	// Metadata uses the driver's device metadata files (KEP-5304).
	Metadata bool `json:"metadata,omitempty"`
	Pattern
	// Attribute is the qualified name of the attribute of which the group
	// attribute is the value. Integers and Booleans are compared as texts. The
	// value must be unique among the devices of the driver on a node.
	Attribute string `json:"attribute,omitempty"`
	// Presence states that a match only shows that there is a device, and not
	// which one. The patterns then need no groups. Default: false.
	Presence bool `json:"presence,omitempty"`
}

// String returns a short description of the source.
func (s Source) String() string {
	if s.Metadata {
		return "device metadata files"
	}
	text := s.Pattern.String()
	switch {
	case s.Attribute != "":
		text += ", by the attribute " + s.Attribute
	case s.Presence:
		text += ", without seeing which"
	}
	return text
}

// Pattern matches something in a container.
type Pattern struct {
	// Environment matches environment variables.
	Environment *Environment `json:"environment,omitempty"`
	// DeviceNodes matches the device nodes below /dev.
	DeviceNodes *Paths `json:"deviceNodes,omitempty"`
	// Mounts matches mount points.
	Mounts *Paths `json:"mounts,omitempty"`
	// Interfaces matches network interfaces.
	Interfaces *Interfaces `json:"interfaces,omitempty"`
}

// String returns a short description of the pattern.
func (p Pattern) String() string {
	switch {
	case p.Environment != nil && p.Environment.Value != "":
		return fmt.Sprintf("environment variables %s with values %s", p.Environment.Name, p.Environment.Value)
	case p.Environment != nil:
		return "environment variables " + p.Environment.Name
	case p.DeviceNodes != nil:
		return "device nodes " + p.DeviceNodes.Path
	case p.Mounts != nil:
		return "mounts " + p.Mounts.Path
	case p.Interfaces != nil:
		return "network interfaces " + p.Interfaces.Name
	}
	return ""
}

// OfPod reports whether all containers of a pod see the same: they share its
// network interfaces.
func (p Pattern) OfPod() bool { return p.Interfaces != nil }

// Environment matches environment variables.
type Environment struct {
	// Name is a pattern of the variable's name.
	Name string `json:"name"`
	// Value is a pattern of the variable's value. A variable with such a name
	// and another value is an error. Default: any value.
	Value string `json:"value,omitempty"`
	// JSON requires that the value, or each of the separated values, is valid
	// JSON as a whole. Another value is an error. Default: false.
	JSON bool `json:"json,omitempty"`
	// Separator separates the devices in the value of a variable. The pattern
	// value applies to each of them. Default: the value is that of one device.
	Separator string `json:"separator,omitempty"`
}

// Paths matches paths.
type Paths struct {
	// Path is a pattern of the path.
	Path string `json:"path"`
}

// Interfaces matches network interfaces.
type Interfaces struct {
	// Name is a pattern of the interface's name.
	Name string `json:"name"`
	// Address is a pattern of the interface's hardware address, as in
	// 02:42:ac:11:00:02. Default: any address.
	Address string `json:"address,omitempty"`
	// Except is a pattern of the names of interfaces that every pod has.
	// Default: lo|eth0.
	Except string `json:"except,omitempty"`
}

// HostPart describes how a container sees which part of a multi-host device is
// on its node. The groups of the patterns are (?P<nodes>...), the names of all
// nodes of the device; (?P<node>...) or (?P<index>...), the name of the
// container's node or its position in nodes, from 0; and (?P<pieces>...), the
// names of the pieces of the device on the container's node.
type HostPart struct {
	// Sources lists the patterns. At least one. All of them count.
	Sources []Pattern `json:"sources"`
	// Separator separates the elements of the groups nodes and pieces. Default:
	// a comma.
	Separator string `json:"separator,omitempty"`
	// LocalPieces states that pieces on different nodes may have the same name.
	// Default: false, the names are unique among the nodes of a device.
	LocalPieces bool `json:"localPieces,omitempty"`
}

// The named groups of patterns.
const (
	groupDriver    = "driver"
	groupPool      = "pool"
	groupDevice    = "device"
	groupAttribute = "attribute"
	groupNodes     = "nodes"
	groupNode      = "node"
	groupIndex     = "index"
	groupPieces    = "pieces"
)

// namedPattern is a pattern with the path of its field.
type namedPattern struct{ path, pattern string }

// patterns returns the regular expressions of a pattern. of is the path of the
// pattern.
func (p Pattern) patterns(of string) []namedPattern {
	var all []namedPattern
	add := func(field, pattern string) {
		if pattern != "" {
			all = append(all, namedPattern{of + "." + field, pattern})
		}
	}
	if p.Environment != nil {
		add("environment.name", p.Environment.Name)
		add("environment.value", p.Environment.Value)
	}
	if p.DeviceNodes != nil {
		add("deviceNodes.path", p.DeviceNodes.Path)
	}
	if p.Mounts != nil {
		add("mounts.path", p.Mounts.Path)
	}
	if p.Interfaces != nil {
		add("interfaces.name", p.Interfaces.Name)
		add("interfaces.address", p.Interfaces.Address)
		add("interfaces.except", p.Interfaces.Except)
	}
	return all
}
