package model

import (
	"fmt"

	"github.com/google/uuid"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/deviceattribute"
	"k8s.io/utils/ptr"
)

// Attributes that devices carry, in the driver's own domain.
const (
	// AttributeType is TypeGPU, TypeMIG or TypeNIC.
	AttributeType = "type"
	// AttributeProductName is the vendor's name of the device.
	AttributeProductName = "productName"
	// AttributeUUID identifies a device. It depends on the node's name and
	// the device's name only.
	AttributeUUID = "uuid"
	// AttributeParentUUID is the UUID of the entire device that a device is or
	// is a part of, so that a matchAttribute constraint holds parts together.
	AttributeParentUUID = "parentUUID"
	// AttributeIndex is the number of the entire device on its node, from 0.
	AttributeIndex = "index"
	// AttributeProfile is the name of a partition's profile.
	AttributeProfile = "profile"
	// AttributePlacement is the first memory slice of a partition.
	AttributePlacement = "placement"
	// AttributeName is the name of a NIC's interface on its node: "eth1" is
	// that of the first, as "eth0" is what the node itself uses.
	AttributeName = "name"
)

// Attributes of NICs that Kubernetes defines for all drivers.
const (
	// AttributePCIeRoot is "pci<domain>:<bus>" of the PCIe root. Each NIC of a
	// node has its own.
	AttributePCIeRoot = deviceattribute.StandardDeviceAttributePCIeRoot
	// AttributeNUMANode is the number of the NUMA node. A node has two, between
	// which its NICs alternate.
	AttributeNUMANode = deviceattribute.StandardDeviceAttributeNUMANode
)

// Values of AttributeType.
const (
	TypeGPU = "gpu"
	TypeMIG = "mig"
	TypeNIC = "nic"
)

// numaNodes is how many there are in a node.
const numaNodes = 2

// uuidPrefixes are what UUIDs begin with, by the type of the device.
var uuidPrefixes = map[string]string{TypeGPU: "GPU", TypeMIG: "MIG", TypeNIC: "NIC"}

// identify adds what tells a device from others of the cluster.
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
		set(AttributePCIeRoot, written("pci%04x:00", index))
		set(AttributeNUMANode, number(index%numaNodes))
	}
}

func number(value int) resourceapi.DeviceAttribute {
	return resourceapi.DeviceAttribute{IntValue: ptr.To(int64(value))}
}

func written(format string, args ...any) resourceapi.DeviceAttribute {
	return resourceapi.DeviceAttribute{StringValue: ptr.To(fmt.Sprintf(format, args...))}
}

// uuids is the name space of all UUIDs that the fake driver hands out.
var uuids = uuid.NewSHA1(uuid.NameSpaceDNS, []byte("draconform.dev"))

// deviceUUID is the same after every restart, and different for every device
// of a cluster.
func deviceUUID(prefix, node, device string) resourceapi.DeviceAttribute {
	return written("%s-%s", prefix, uuid.NewSHA1(uuids, []byte(node+"/"+device)))
}
