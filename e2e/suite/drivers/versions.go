package drivers

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// ChangeVersion replaces a driver's pods by those of another version, and waits
// for the new pods. It calls meanwhile, if not nil, during the update.
func ChangeVersion(ctx context.Context, e *env.Env, driver string, to operations.DriverVersion, meanwhile func()) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("changing driver %s to %+v", driver, to))
	gomega.Expect(e.Versions.Change(ctx, driver, to)).To(gomega.Succeed())
	if meanwhile != nil {
		meanwhile()
	}
	ctx, cancel := context.WithTimeout(ctx, e.Timeouts.Recovery)
	defer cancel()
	gomega.Expect(e.Versions.Changed(ctx, driver)).To(gomega.Succeed(), "the driver's pods of the other version should become ready")
}

// WaitForTwoPods waits until two pods of a driver run on a node.
func WaitForTwoPods(ctx context.Context, e *env.Env, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until two pods of driver %s run on node %s", driver, node))
	gomega.Eventually(ctx, func(ctx context.Context) (int, error) { return e.Versions.Running(ctx, driver, node) }).
		WithTimeout(e.Timeouts.Recovery).Should(gomega.Equal(2), "the old and the new pod of the driver should run at the same time")
}
