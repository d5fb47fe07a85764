package specs

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/describe"
)

// offers returns devices with these names. The attribute name is their only
// difference.
func offers(names ...string) *describe.Inventory {
	inventory := &describe.Inventory{}
	for _, name := range names {
		inventory.Devices = append(inventory.Devices, resourceapi.Device{
			Name: name, Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"name": {StringValue: &name}},
		})
	}
	return inventory
}

// called returns a request for the device of a stage with this name, see
// [offers].
func called(s *suite.Stage, name string) []suite.Request {
	selector := fmt.Sprintf("device.attributes[%q].name == %q", s.Driver, name)
	return []suite.Request{{Name: "device", Device: s.Device(selector)}}
}

// startOn starts a pod on a node with a claim for the device of this name.
func startOn(ctx context.Context, e *suite.Env, s *suite.Stage, node, pod, device string) {
	ginkgo.GinkgoHelper()
	e.StartClaimOn(ctx, pod, node, suite.Devices(called(s, device)))
}

// startAllOn starts a pod on a node with a claim for all devices of the stage.
func startAllOn(ctx context.Context, e *suite.Env, s *suite.Stage, node, pod string) {
	ginkgo.GinkgoHelper()
	claim := suite.Devices(one(s.Device("")))
	claim.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
	e.StartClaimOn(ctx, pod, node, claim)
}
