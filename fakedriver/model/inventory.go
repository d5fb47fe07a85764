package model

import (
	"cmp"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
)

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

// Inventory is what one node has.
type Inventory struct {
	// CounterSets has one entry per GPU.
	CounterSets []resourceapi.CounterSet
	// Devices are the partitions of all GPUs, smallest first, then the
	// whole GPUs: a scheduler that takes the first device that fits keeps
	// large ones free.
	Devices []resourceapi.Device
}

// Inventory returns what a node with that many GPUs of the model has.
func (g *GPU) Inventory(node string, gpus int) *Inventory {
	inventory := &Inventory{}
	for _, profile := range slices.SortedFunc(slices.Values(g.Profiles), bySize) {
		for index := range gpus {
			for _, start := range profile.Placements {
				inventory.Devices = append(inventory.Devices, g.partition(node, index, profile, start))
			}
		}
	}
	for index := range gpus {
		inventory.CounterSets = append(inventory.CounterSets, g.counterSet(index))
		inventory.Devices = append(inventory.Devices, g.whole(node, index))
	}
	return inventory
}

// bySize orders profiles. The name comes last and puts "1g.5gb" before
// "1g.5gb+me", which takes engines of which there are few.
func bySize(a, b Profile) int {
	for _, counter := range []string{memory, multiprocessors} {
		ofA, ofB := a.Counters[counter], b.Counters[counter]
		if c := ofA.Cmp(ofB); c != 0 {
			return c
		}
	}
	return cmp.Compare(a.Name, b.Name)
}

// Device returns the device with the given name, or nil.
func (i *Inventory) Device(name string) *resourceapi.Device {
	for d := range i.Devices {
		if i.Devices[d].Name == name {
			return &i.Devices[d]
		}
	}
	return nil
}

// WithoutCounters returns what can be offered where counters cannot be
// published: whole GPUs only, because nothing would keep a scheduler from
// allocating two partitions that overlap.
func (i *Inventory) WithoutCounters() *Inventory {
	out := &Inventory{}
	for _, device := range i.Devices {
		kind := device.Attributes[AttributeType].StringValue
		if kind == nil || *kind != TypeGPU {
			continue
		}
		whole := device.DeepCopy()
		whole.ConsumesCounters = nil
		out.Devices = append(out.Devices, *whole)
	}
	return out
}
