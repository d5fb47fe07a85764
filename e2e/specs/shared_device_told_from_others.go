package specs

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/describe"
)

var sharedDeviceToldFromOthers = suite.Spec{
	ID:       "shared-device-told-from-others",
	Sentence: "Selectors distinguish devices that allow multiple allocations. Other devices are allocated once, if they have the requested capacity, and then as a whole.",
	Profile:  capacity,
	Features: sharesNeed,
	Judges:   suite.JudgesScheduler,
	Needs:    []suite.Need{suite.NeedsStage},
	Requirements: []string{
		"5075-selected-by-being-shared",
		"5075-filter-of-other-devices",
	},
	Body: func(ctx context.Context, e *suite.Env) {
		stage := e.Stage(ctx, 1)
		stage.Publish(ctx, suite.Pool{Node: stage.Nodes[0]}, withExclusive(described("nic.yaml")))
		exclusive := func(amount string) []suite.Request {
			device := stage.Device("!device.allowMultipleAllocations")
			device.Capacity = inMemory(amount)
			return []suite.Request{{Name: "device", Device: device}}
		}

		e.Start(ctx, "larger", exclusive("5Gi"))
		e.Refused(ctx, "larger", "the only device that is not shared has 4Gi")
		e.Removed(ctx, "larger")

		e.Start(ctx, "fits", exclusive("3Gi"))
		e.Scheduled(ctx, "fits")
		result := e.Allocation(ctx, "fits").Results[0]
		gomega.Expect(result.ShareID).To(gomega.BeNil(), "a device that is not shared has no shares")
		gomega.Expect(result.ConsumedCapacity).To(gomega.BeEmpty(), "a device that is not shared is allocated as a whole")

		e.Start(ctx, "second", exclusive("1Gi"))
		e.Refused(ctx, "second", "the only device that is not shared is allocated to claim fits")
	},
}

// withExclusive adds a device that is not shared and has 4Gi of memory.
func withExclusive(inventory *describe.Inventory) *describe.Inventory {
	device := offers("exclusive").Devices[0]
	device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"memory": {Value: resource.MustParse("4Gi")}}
	inventory.Devices = append(inventory.Devices, device)
	return inventory
}
