// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"

	"github.com/google/uuid"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/deviceattribute"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/fault"
)

// Attributes of devices in the driver's own domain.
const (
	// AttributeType is TypeGPU, TypeMIG or TypeNIC.
	AttributeType = "type"
	// AttributeProductName is the vendor's name of the device.
	AttributeProductName = "productName"
	// AttributeUUID identifies a device. It only depends on the node's name and
	// the device's name.
	AttributeUUID = "uuid"
	// AttributeParentUUID is the UUID of the entire device. A partition has the
	// UUID of the device that it is a part of, so that a matchAttribute
	// constraint can keep partitions on one device.
	AttributeParentUUID = "parentUUID"
	// AttributeIndex is the number of the entire device on its node, starting
	// at 0.
	AttributeIndex = "index"
	// AttributeProfile is the name of a partition's profile.
	AttributeProfile = "profile"
	// AttributePlacement is the first memory slice of a partition.
	AttributePlacement = "placement"
	// AttributeName is the name of a NIC's interface on its node. The first NIC
	// is "eth1" because the node itself uses "eth0".
	AttributeName = "name"
)

// Attributes of NICs that Kubernetes defines for all drivers.
const (
	// AttributePCIeRoot is "pci<domain>:<bus>" of the PCIe root. Each NIC of a
	// node has its own PCIe root.
	AttributePCIeRoot = deviceattribute.StandardDeviceAttributePCIeRoot
	// AttributeNUMANode is the number of the NUMA node. A node has two NUMA
	// nodes, and its NICs alternate between them.
	AttributeNUMANode = deviceattribute.StandardDeviceAttributeNUMANode
)

// Values of AttributeType.
const (
	TypeGPU = "gpu"
	TypeMIG = "mig"
	TypeNIC = "nic"
)

// numaNodes is the number of NUMA nodes in a node.
const numaNodes = 2

// uuidPrefixes are the prefixes of UUIDs by the type of the device.
var uuidPrefixes = map[string]string{TypeGPU: "GPU", TypeMIG: "MIG", TypeNIC: "NIC"}

// identify adds the attributes that distinguish a device from all others in the
// cluster.
func (m *Model) identify(device *resourceapi.Device, node string, index int) {
	kind := text(*device, AttributeType)
	set := func(name resourceapi.QualifiedName, value resourceapi.DeviceAttribute) {
		device.Attributes[name] = value
	}
	set(AttributeIndex, number(index))
	set(AttributeUUID, deviceUUID(uuidPrefixes[kind], node, device.Name))
	set(AttributeParentUUID, deviceUUID(uuidPrefixes[m.kind], node, nth(m.kind, index)))
	if kind == TypeNIC {
		set(AttributeName, written("eth%d", index+1))
		set(AttributePCIeRoot, pcieRoot(index))
		set(AttributeNUMANode, number(index%numaNodes))
	}
}

// pcieRoot returns the PCIe root of the NIC with the index.
func pcieRoot(index int) resourceapi.DeviceAttribute {
	if fault.MisspellsStandardAttributes {
		return written("%04x:00", index)
	}
	return written("pci%04x:00", index)
}

func number(value int) resourceapi.DeviceAttribute {
	return resourceapi.DeviceAttribute{IntValue: ptr.To(int64(value))}
}

func written(format string, args ...any) resourceapi.DeviceAttribute {
	return resourceapi.DeviceAttribute{StringValue: ptr.To(fmt.Sprintf(format, args...))}
}

// uuids is the namespace of all UUIDs that the fake driver generates.
var uuids = uuid.NewSHA1(uuid.NameSpaceDNS, []byte("draconform.dev"))

// deviceUUID returns a UUID that stays the same after a restart and is unique
// for each device of a cluster.
func deviceUUID(prefix, node, device string) resourceapi.DeviceAttribute {
	return written("%s-%s", prefix, uuid.NewSHA1(uuids, []byte(node+"/"+device)))
}
