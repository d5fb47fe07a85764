package specs

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/fakedriver/describe"
)

// listsNeed is what all specs of prioritized lists on a stage need.
var listsNeed = []features.Feature{features.Core, features.PrioritizedList}

// kindOf is an alternative for a device of a stage whose name, see [offers], begins
// with that of the alternative.
func kindOf(s *suite.Stage, name string) suite.Alternative {
	return suite.Alternative{Name: name, Device: s.Device(fmt.Sprintf("device.attributes[%q].name.startsWith(%q)", s.Driver, name))}
}

// rare are so many devices that only the node with this number offers.
func rare(node, count int) *describe.Inventory {
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("rare-%d-%d", node, i))
	}
	return offers(names...)
}

// rareOf is an alternative for one of them.
func rareOf(s *suite.Stage, node int) suite.Alternative {
	return named("rare", kindOf(s, fmt.Sprintf("rare-%d-", node)))
}

// isScheduledFor is isFor for a pod on a stage.
func isScheduledFor(ctx context.Context, e *suite.Env, claim, because string, want ...string) {
	ginkgo.GinkgoHelper()
	e.Scheduled(ctx, claim)
	isAllocatedFor(ctx, e, claim, because, want...)
}
