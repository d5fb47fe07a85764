package specs

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
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
func called(s *simulated.Nodes, name string) []devices.Request {
	selector := fmt.Sprintf("device.attributes[%q].name == %q", s.Driver, name)
	return []devices.Request{{Name: "device", Device: s.Device(selector)}}
}

// startOn starts a pod on a node with a claim for the device of this name.
func startOn(ctx context.Context, e *env.Env, s *simulated.Nodes, node, pod, device string) {
	ginkgo.GinkgoHelper()
	pods.CreateWithClaimOnNode(ctx, e, pod, node, devices.NewDeviceClaim(called(s, device)))
}

// startAllOn starts a pod on a node with a claim for all devices of the stage.
func startAllOn(ctx context.Context, e *env.Env, s *simulated.Nodes, node, pod string) {
	ginkgo.GinkgoHelper()
	claim := devices.NewDeviceClaim(one(s.Device("")))
	claim.Requests[0].Exactly.AllocationMode = resourceapi.DeviceAllocationModeAll
	pods.CreateWithClaimOnNode(ctx, e, pod, node, claim)
}
