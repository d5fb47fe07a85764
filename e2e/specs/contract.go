package specs

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

// What those specs take that are about a partition, whatever its shape.
var (
	contractFeatures = []features.Feature{features.Core, features.Partitions}
	contractKinds    = []subject.Kind{subject.KindPartition}
	contractNeeds    = []suite.Need{suite.NeedsDrivers}
)

// use is a device on a node the driver of which a spec steers.
type use struct {
	device subject.Device
	node   string
}

// useOnNode is a small partition on a node that has some.
func useOnNode(ctx context.Context, e *suite.Env) use {
	ginkgo.GinkgoHelper()
	device := e.Subject.Partitions.Small
	return use{device, e.DriverNode(ctx, device.Driver)}
}

// start lets a pod on the node use such a device, and returns its name.
func (u use) start(ctx context.Context, e *suite.Env, claim string) string {
	ginkgo.GinkgoHelper()
	return e.StartUsers(ctx, claim, u.device, 1, suite.PodOptions{Node: u.node})[0]
}
