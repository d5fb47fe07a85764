package drivers

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// EnforceAffinity makes a driver reject different values of the given keys on
// the same device. It applies to all devices of the driver on a node until the
// spec ends. The ResourceSlices declare the keys to the scheduler only if
// declared is set.
func EnforceAffinity(ctx context.Context, e *env.Env, driver, node string, keys []string, declared bool) {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("making driver %s on node %s enforce sharing affinity for %v", driver, node, keys))
	before := WaitForStatus(ctx, e, driver, node).Published
	published := before
	published.Affinity = map[string]operations.AffinityRule{}
	all, err := devices.ListSlices(ctx, e, driver)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	for _, slice := range all {
		if slice.Spec.NodeName == nil || *slice.Spec.NodeName != node {
			continue
		}
		for _, device := range slice.Spec.Devices {
			published.Affinity[device.Name] = operations.AffinityRule{Declaration: operations.AffinityDeclaration{AttributeKeys: keys}, Declared: declared}
		}
	}
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) { //nolint:contextcheck // The spec's context has ended by then.
		publish(ctx, e, driver, node, before)
	}, ginkgo.NodeTimeout(e.Timeouts.Deletion))
	publish(ctx, e, driver, node, published)
}

func publish(ctx context.Context, e *env.Env, driver, node string, published operations.Published) {
	ginkgo.GinkgoHelper()
	sendChange(ctx, e, driver, node, func(ctx context.Context, pod operations.Driver) error {
		_, err := pod.Publish(ctx, driver, published)
		return err
	})
}
