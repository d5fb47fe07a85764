package suite

import (
	"context"
	"fmt"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

// DriverVersion is which version of a driver of the suite's own runs, and how it
// takes the place of the one before.
type DriverVersion struct {
	// Older is the version before, which remembers what it has prepared in an
	// older form.
	Older bool
	// Beside is for how long it goes on beside the one that takes its place.
	// Zero means that it bears no other on its node.
	Beside time.Duration
	// Surge says that it starts before the one before ends, which must bear
	// another beside it.
	Surge bool
}

// Versions changes the version of drivers.
type Versions interface {
	// Change replaces a driver's pods, one node after the other, and waits for
	// none.
	Change(ctx context.Context, driver string, to DriverVersion) error
	// Changed returns when all of them have been replaced.
	Changed(ctx context.Context, driver string) error
	// Running is how many pods of a driver run on a node.
	Running(ctx context.Context, driver, node string) (int, error)
}

// ChangeDriver replaces a driver's pods by those of another version and, while
// that goes on, does what is to be done meanwhile; nil is nothing.
func (e *Env) ChangeDriver(ctx context.Context, driver string, to DriverVersion, meanwhile func()) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("changing driver %s to %+v", driver, to))
	gomega.Expect(e.versions.Change(ctx, driver, to)).To(gomega.Succeed())
	if meanwhile != nil {
		meanwhile()
	}
	ctx, cancel := context.WithTimeout(ctx, e.Timeouts.Recover)
	defer cancel()
	gomega.Expect(e.versions.Changed(ctx, driver)).To(gomega.Succeed(), "the driver's pods of the other version should become ready")
}

// BesideEachOther waits until two of a driver's pods run on a node.
func (e *Env) BesideEachOther(ctx context.Context, driver, node string) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("waiting until two pods of driver %s run on node %s", driver, node))
	gomega.Eventually(ctx, func(ctx context.Context) (int, error) { return e.versions.Running(ctx, driver, node) }).
		WithTimeout(e.Timeouts.Recover).Should(gomega.Equal(2), "the old and the new pod of the driver should run beside each other")
}
