package specs

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
	"github.com/draconform/draconform/fakedriver/describe"
)

// listsNeed are the features that all specs of prioritized lists on simulated
// nodes need.
var listsNeed = []features.Feature{features.Core, features.PrioritizedList}

// kindOf returns a subrequest for a device of a stage whose name begins with
// the name of the subrequest, see [offers].
func kindOf(s *simulated.Nodes, name string) devices.SubRequest {
	return devices.SubRequest{Name: name, Device: s.Device(fmt.Sprintf("device.attributes[%q].name.startsWith(%q)", s.Driver, name))}
}

// rare returns count devices that only the node with this index offers.
func rare(node, count int) *describe.Inventory {
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("rare-%d-%d", node, i))
	}
	return offers(names...)
}

// rareOf returns a subrequest for one of the devices of [rare].
func rareOf(s *simulated.Nodes, node int) devices.SubRequest {
	return named("rare", kindOf(s, fmt.Sprintf("rare-%d-", node)))
}

// isScheduledFor asserts that a pod on simulated nodes is scheduled, and checks
// its claim like isAllocatedFor.
func isScheduledFor(ctx context.Context, e *env.Env, claim, because string, want ...string) {
	ginkgo.GinkgoHelper()
	pods.WaitForScheduled(ctx, e, claim)
	isAllocatedFor(ctx, e, claim, because, want...)
}
