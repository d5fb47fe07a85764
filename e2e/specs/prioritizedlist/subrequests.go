package prioritizedlist

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/expect"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// The needs of all specs of prioritized lists. The subrequests are for
// partitions of one parent device, so that only one node fits and the available
// devices are known.
var (
	alternativesNeed = []features.Feature{features.Core, features.Partitions, features.PrioritizedList}
	alternativesOf   = []subject.Kind{subject.KindPartition}
)

// choices are subrequests for devices of one parent device.
type choices struct {
	parent            string
	whole, big, small devices.SubRequest
}

func choicesOf(e *env.Env, parent string) choices {
	of := func(name string, device subject.Device) devices.SubRequest {
		return devices.SubRequest{Name: name, Device: e.Subject.Partitions.OfParent(device, parent)}
	}
	p := e.Subject.Partitions
	return choices{parent: parent, whole: of("whole", p.Whole), big: of("big", p.Big), small: of("small", p.Small)}
}

// freeChoices returns the subrequests for a parent device of which nothing is
// allocated. The scout pod allocates the whole device and is removed again. A
// scheduler that has not observed the removal yet finds none of the partitions
// available, instead of only some.
func freeChoices(ctx context.Context, e *env.Env) choices {
	ginkgo.GinkgoHelper()
	partitions := e.Subject.Partitions
	pods.CreateWithRequests(ctx, e, "scout", []devices.Request{{Name: "whole", Device: partitions.Whole}})
	parent := devices.GetParent(ctx, e, partitions.Parents, pods.WaitForRunning(ctx, e, "scout")[0])
	pods.DeleteWithClaim(ctx, e, "scout")
	return choicesOf(e, parent)
}

// anchorOf returns a request for a small partition. Constraints tie other
// requests to it.
func anchorOf(of choices) devices.Request {
	return devices.Request{Name: "anchor", Device: of.small.Device}
}

// named returns a copy of a subrequest with another name.
func named(name string, a devices.SubRequest) devices.SubRequest {
	a.Name = name
	return a
}

// two returns a copy of a subrequest with count 2.
func two(a devices.SubRequest) devices.SubRequest {
	a.Count = 2
	return a
}

// isFor asserts that a pod runs, and checks its claim like isAllocatedFor.
func isFor(ctx context.Context, e *env.Env, claim, because string, want ...string) {
	ginkgo.GinkgoHelper()
	pods.WaitForRunning(ctx, e, claim)
	expect.AllocatedFor(ctx, e, claim, because, want...)
}
