package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

// DriverVersion is a version of a fake driver, and how its pods replace those
// of the previous version.
type DriverVersion struct {
	// Older is the previous version. It stores the prepared claims in an older
	// format.
	Older bool
	// Beside allows a second pod of the driver on the node during an update. It
	// is how long the old pod continues to run next to the new one. Zero means
	// that the driver does not support a second pod.
	Beside time.Duration
	// Surge starts the new pod before the old one ends. It requires Beside in
	// both versions.
	Surge bool
}

// Versions changes the version of drivers.
type Versions interface {
	// Change starts to replace a driver's pods, one node after the other. It
	// does not wait for the new pods.
	Change(ctx context.Context, driver string, to DriverVersion) error
	// Changed waits until all pods have been replaced.
	Changed(ctx context.Context, driver string) error
	// Running returns the number of a driver's running pods on a node.
	Running(ctx context.Context, driver, node string) (int, error)
}

// ChangeDriver replaces a driver's pods by those of another version. It calls
// meanwhile, if not nil, during the update.
func (e *Env) ChangeDriver(ctx context.Context, driver string, to DriverVersion, meanwhile func()) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("changing driver %s to %+v", driver, to))
	gomega.Expect(e.Versions.Change(ctx, driver, to)).To(gomega.Succeed())
	if meanwhile != nil {
		meanwhile()
	}
	ctx, cancel := context.WithTimeout(ctx, e.Timeouts.Recover)
	defer cancel()
	gomega.Expect(e.Versions.Changed(ctx, driver)).To(gomega.Succeed(), "the driver's pods of the other version should become ready")
}

// BesideEachOther waits until two pods of a driver run on a node.
func (e *Env) BesideEachOther(ctx context.Context, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until two pods of driver %s run on node %s", driver, node))
	gomega.Eventually(ctx, func(ctx context.Context) (int, error) { return e.Versions.Running(ctx, driver, node) }).
		WithTimeout(e.Timeouts.Recover).Should(gomega.Equal(2), "the old and the new pod of the driver should run beside each other")
}
