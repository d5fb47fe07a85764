package model

import (
	"fmt"
	"strings"

	"github.com/google/uuid"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/describe"
)

// Inventory is what a node has, as package describe defines it.
type Inventory = describe.Inventory

// Attributes that devices carry, in the driver's own domain.
const (
	// AttributeType is TypeGPU or TypeMIG.
	AttributeType = "type"
	// AttributeProductName is the vendor's name of the GPU.
	AttributeProductName = "productName"
	// AttributeUUID identifies a device. It depends on the node's name and
	// the device's name only.
	AttributeUUID = "uuid"
	// AttributeParentUUID is the UUID of the GPU that a device is or is a
	// part of, so that a matchAttribute constraint holds devices together.
	AttributeParentUUID = "parentUUID"
	// AttributeProfile is the name of a partition's profile.
	AttributeProfile = "profile"
	// AttributeIndex is the number of the GPU on its node, from 0.
	AttributeIndex = "index"
	// AttributePlacement is the first memory slice of a partition.
	AttributePlacement = "placement"
)

// Values of AttributeType.
const (
	TypeGPU = "gpu"
	TypeMIG = "mig"
)

// uuidPrefixes are what UUIDs begin with, by the type of the device.
var uuidPrefixes = map[string]string{TypeGPU: "GPU", TypeMIG: "MIG"}

// Inventory returns what a node with that many GPUs of the model has: a counter
// set per GPU, the partitions of all GPUs, profile by profile and the smallest
// first, then the whole GPUs. A scheduler that takes the first device that fits
// keeps large ones free.
func (g *GPU) Inventory(node string, gpus int) *Inventory {
	inventory := &Inventory{}
	for index := range gpus {
		set := g.described.CounterSets[0].DeepCopy()
		set.Name = rename(set.Name, index)
		inventory.CounterSets = append(inventory.CounterSets, *set)
	}
	for rest := g.described.Devices; len(rest) > 0; {
		same := ofOneProfile(rest)
		for index := range gpus {
			for _, device := range same {
				inventory.Devices = append(inventory.Devices, instance(device, node, index))
			}
		}
		rest = rest[len(same):]
	}
	return inventory
}

// ofOneProfile returns the first of the devices and those after it that have the
// same profile.
func ofOneProfile(devices []resourceapi.Device) []resourceapi.Device {
	n := 1
	for n < len(devices) && text(devices[n], AttributeProfile) == text(devices[0], AttributeProfile) {
		n++
	}
	return devices[:n]
}

// instance turns a device of the first GPU into that of another one.
func instance(described resourceapi.Device, node string, index int) resourceapi.Device {
	device := described.DeepCopy()
	device.Name = rename(device.Name, index)
	for i := range device.ConsumesCounters {
		device.ConsumesCounters[i].CounterSet = rename(device.ConsumesCounters[i].CounterSet, index)
	}
	own := deviceUUID(uuidPrefixes[text(described, AttributeType)], node, device.Name)
	parent := deviceUUID(uuidPrefixes[TypeGPU], node, rename(first, index))
	device.Attributes[AttributeIndex] = resourceapi.DeviceAttribute{IntValue: ptr.To(int64(index))}
	device.Attributes[AttributeUUID] = resourceapi.DeviceAttribute{StringValue: &own}
	device.Attributes[AttributeParentUUID] = resourceapi.DeviceAttribute{StringValue: &parent}
	return *device
}

// rename returns the name that something of the first GPU has for another one.
func rename(name string, index int) string {
	return fmt.Sprintf("gpu-%d", index) + strings.TrimPrefix(name, first)
}

// uuids is the name space of all UUIDs that the fake driver hands out.
var uuids = uuid.NewSHA1(uuid.NameSpaceDNS, []byte("draconform.dev"))

// deviceUUID is the same after every restart, and different for every device
// of a cluster.
func deviceUUID(prefix, node, device string) string {
	return prefix + "-" + uuid.NewSHA1(uuids, []byte(node+"/"+device)).String()
}
