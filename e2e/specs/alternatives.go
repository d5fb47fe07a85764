package specs

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

// What all specs of prioritized lists need. The alternatives are partitions of
// one parent, so that there is one node to choose, and which devices are free is
// known.
var (
	alternativesNeed = []features.Feature{features.Core, features.Partitions, features.PrioritizedList}
	alternativesOf   = []subject.Kind{subject.KindPartition}
)

// choices are ways to satisfy a request that have one parent.
type choices struct {
	parent            string
	whole, big, small suite.Alternative
}

func choicesOf(e *suite.Env, parent string) choices {
	of := func(name string, device subject.Device) suite.Alternative {
		return suite.Alternative{Name: name, Device: e.Subject.Partitions.OfParent(device, parent)}
	}
	p := e.Subject.Partitions
	return choices{parent: parent, whole: of("whole", p.Whole), big: of("big", p.Big), small: of("small", p.Small)}
}

// freeChoices are those of a parent of which nothing is allocated. To a scheduler
// that has not noticed yet that the scout is gone, all of it is taken, so that
// it finds none of them free rather than only some.
func freeChoices(ctx context.Context, e *suite.Env) choices {
	ginkgo.GinkgoHelper()
	partitions := e.Subject.Partitions
	e.Start(ctx, "scout", []suite.Request{{Name: "whole", Device: partitions.Whole}})
	parent := e.Parent(ctx, partitions.Parents, e.Runs(ctx, "scout")[0])
	e.Removed(ctx, "scout")
	return choicesOf(e, parent)
}

// anchorOf is a request for a small partition, to which constraints tie others.
func anchorOf(of choices) suite.Request {
	return suite.Request{Name: "anchor", Device: of.small.Device}
}

// list is a request for the first of several alternatives that is available.
func list(name string, alternatives ...suite.Alternative) suite.Request {
	return suite.Request{Name: name, FirstAvailable: alternatives}
}

// named is the same alternative under another name.
func named(name string, a suite.Alternative) suite.Alternative {
	a.Name = name
	return a
}

// two is an alternative with two devices.
func two(a suite.Alternative) suite.Alternative {
	a.Count = 2
	return a
}

// isFor asserts that a pod runs, and what isAllocatedFor does of its claim.
func isFor(ctx context.Context, e *suite.Env, claim, because string, want ...string) {
	ginkgo.GinkgoHelper()
	e.Runs(ctx, claim)
	isAllocatedFor(ctx, e, claim, because, want...)
}

// isAllocatedFor asserts for which requests and alternatives a claim was allocated
// devices, one name for each device.
func isAllocatedFor(ctx context.Context, e *suite.Env, claim, because string, want ...string) {
	ginkgo.GinkgoHelper()
	var got []string
	for _, result := range e.Allocation(ctx, claim).Results {
		got = append(got, result.Request)
	}
	gomega.Expect(got).To(gomega.ConsistOf(want), fmt.Sprintf("the devices of claim %s should be for %v, because %s", claim, want, because))
}
