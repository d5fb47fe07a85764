package specs

import (
	"fmt"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/describe"
)

// offers are devices with these names and nothing else to tell them apart.
func offers(names ...string) *describe.Inventory {
	inventory := &describe.Inventory{}
	for _, name := range names {
		inventory.Devices = append(inventory.Devices, resourceapi.Device{
			Name: name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"name": {StringValue: &name}},
		})
	}
	return inventory
}

// called is a request for the device of a stage with this name, see [offers].
func called(s *suite.Stage, name string) []suite.Request {
	selector := fmt.Sprintf("device.attributes[%q].name == %q", s.Driver, name)
	return []suite.Request{{Name: "device", Device: s.Device(selector)}}
}
