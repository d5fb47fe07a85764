package model

import (
	"fmt"
	"maps"
	"strings"

	"github.com/google/uuid"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
)

// whole returns the device for an entire GPU: it consumes everything.
func (g *GPU) whole(node string, index int) resourceapi.Device {
	name := gpuName(index)
	return g.device(name, index, g.allCounters(), attributes{
		AttributeType:       {StringValue: ptr.To(TypeGPU)},
		AttributeUUID:       {StringValue: ptr.To(deviceUUID("GPU", node, name))},
		AttributeParentUUID: {StringValue: ptr.To(deviceUUID("GPU", node, name))},
	})
}

// partition returns the device for a partition that begins at a memory slice.
func (g *GPU) partition(node string, index int, p Profile, start int) resourceapi.Device {
	counters := maps.Clone(p.Counters)
	for slice := range p.MemorySlices {
		counters[memorySlice(start+slice)] = *resource.NewQuantity(1, resource.DecimalSI)
	}
	name := fmt.Sprintf("%s-mig-%s-%d", gpuName(index), dashed(p.Name), start)
	return g.device(name, index, counters, attributes{
		AttributeType:       {StringValue: ptr.To(TypeMIG)},
		AttributeUUID:       {StringValue: ptr.To(deviceUUID("MIG", node, name))},
		AttributeParentUUID: {StringValue: ptr.To(deviceUUID("GPU", node, gpuName(index)))},
		AttributeProfile:    {StringValue: ptr.To(p.Name)},
		AttributePlacement:  {IntValue: ptr.To(int64(start))},
	})
}

type attributes map[resourceapi.QualifiedName]resourceapi.DeviceAttribute

// device completes a device with what a GPU and a partition have in common.
func (g *GPU) device(name string, index int, counters map[string]resource.Quantity, own attributes) resourceapi.Device {
	device := resourceapi.Device{
		Name: name,
		Attributes: attributes{
			AttributeProductName: {StringValue: ptr.To(g.ProductName)},
			AttributeIndex:       {IntValue: ptr.To(int64(index))},
		},
		Capacity: map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{},
		ConsumesCounters: []resourceapi.DeviceCounterConsumption{{
			CounterSet: counterSetName(index),
			Counters:   asCounters(counters),
		}},
	}
	maps.Copy(device.Attributes, own)
	for counter, value := range counters {
		device.Capacity[capacityName(counter)] = resourceapi.DeviceCapacity{Value: value}
	}
	return device
}

func (g *GPU) counterSet(index int) resourceapi.CounterSet {
	return resourceapi.CounterSet{Name: counterSetName(index), Counters: asCounters(g.allCounters())}
}

// allCounters returns the counters of a GPU with its memory slices among them.
func (g *GPU) allCounters() map[string]resource.Quantity {
	counters := maps.Clone(g.Counters)
	for slice := range g.MemorySlices {
		counters[memorySlice(slice)] = *resource.NewQuantity(1, resource.DecimalSI)
	}
	return counters
}

func asCounters(values map[string]resource.Quantity) map[string]resourceapi.Counter {
	counters := make(map[string]resourceapi.Counter, len(values))
	for name, value := range values {
		counters[name] = resourceapi.Counter{Value: value}
	}
	return counters
}

func gpuName(index int) string        { return fmt.Sprintf("gpu-%d", index) }
func counterSetName(index int) string { return gpuName(index) + "-counter-set" }
func memorySlice(slice int) string    { return fmt.Sprintf("memory-slice-%d", slice) }

// dashed turns a profile's name into a part of a DNS label.
func dashed(profile string) string {
	return strings.NewReplacer(".", "-", "+", "-").Replace(profile)
}

// capacityName turns a counter's name, a DNS label, into that of a capacity,
// a C identifier: "copy-engines" into "copyEngines".
func capacityName(counter string) resourceapi.QualifiedName {
	words := strings.Split(counter, "-")
	for i, word := range words[1:] {
		words[i+1] = strings.ToUpper(word[:1]) + word[1:]
	}
	return resourceapi.QualifiedName(strings.Join(words, ""))
}

// uuids is the name space of all UUIDs that the fake driver hands out.
var uuids = uuid.NewSHA1(uuid.NameSpaceDNS, []byte("draconform.dev"))

// deviceUUID is the same after every restart, and different for every device
// of a cluster.
func deviceUUID(prefix, node, device string) string {
	return prefix + "-" + uuid.NewSHA1(uuids, []byte(node+"/"+device)).String()
}
