package publish

import (
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceslice"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/model"
)

// Slices lays out an inventory. The order of the slices is that in which the
// scheduler looks at them.
func Slices(inventory *model.Inventory, form Form) []resourceslice.Slice {
	switch form {
	case CountersWithDevices:
		return slicesPerCounterSet(inventory)
	case NoCounters:
		return deviceSlices(inventory.WithoutCounters().Devices)
	default:
		var out []resourceslice.Slice
		for sets := range slices.Chunk(inventory.CounterSets, resourceapi.ResourceSliceMaxCounterSets) {
			out = append(out, resourceslice.Slice{SharedCounters: sets})
		}
		return append(out, deviceSlices(inventory.Devices)...)
	}
}

// deviceSlices uses the smaller of the limits that apply to a slice: the one
// for devices which consume counters.
func deviceSlices(devices []resourceapi.Device) []resourceslice.Slice {
	var out []resourceslice.Slice
	for chunk := range slices.Chunk(devices, resourceapi.ResourceSliceMaxDevicesWithAdvancedFeatures) {
		out = append(out, resourceslice.Slice{Devices: chunk})
	}
	return out
}

// slicesPerCounterSet makes one slice for each GPU. Kubernetes 1.34 allows 32
// counters and 128 devices in a slice, enough for one GPU but not for several.
func slicesPerCounterSet(inventory *model.Inventory) []resourceslice.Slice {
	var out []resourceslice.Slice
	for _, set := range inventory.CounterSets {
		slice := resourceslice.Slice{SharedCounters: []resourceapi.CounterSet{set}}
		for _, device := range inventory.Devices {
			if consumes(device, set.Name) {
				slice.Devices = append(slice.Devices, device)
			}
		}
		out = append(out, slice)
	}
	return out
}

func consumes(device resourceapi.Device, set string) bool {
	return slices.ContainsFunc(device.ConsumesCounters, func(c resourceapi.DeviceCounterConsumption) bool {
		return c.CounterSet == set
	})
}

// Objects returns the slices of a node as API objects. They form a complete
// pool that has the node's name.
func Objects(driver, node string, slices []resourceslice.Slice) []*resourceapi.ResourceSlice {
	var out []*resourceapi.ResourceSlice
	for i, slice := range slices {
		out = append(out, &resourceapi.ResourceSlice{
			TypeMeta: metav1.TypeMeta{
				APIVersion: resourceapi.SchemeGroupVersion.String(),
				Kind:       "ResourceSlice",
			},
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%05x-%s-%s", i, driver, node)},
			Spec: resourceapi.ResourceSliceSpec{
				Driver:         driver,
				NodeName:       ptr.To(node),
				Pool:           resourceapi.ResourcePool{Name: node, Generation: 1, ResourceSliceCount: int64(len(slices))},
				SharedCounters: slice.SharedCounters,
				Devices:        slice.Devices,
			},
		})
	}
	return out
}
