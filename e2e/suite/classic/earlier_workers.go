// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
)

// EarlierWorkers has the worker nodes of a cluster of Kubernetes 1.30, and claims that the
// installed driver under test allocates, and its plugins prepare.
type EarlierWorkers struct {
	*Earlier

	workers *Workers
}

// UseEarlierWorkers returns the worker nodes, whose devices are all free, and creates a
// ResourceClass of the driver under test. Everything is removed at the end of the spec,
// which must have [env.NeedsClassicDriver].
func UseEarlierWorkers(ctx context.Context, e *env.Env) *EarlierWorkers {
	ginkgo.GinkgoHelper()
	shared := &Cluster{env: e, version: versionOf130}
	w := &EarlierWorkers{
		Earlier: &Earlier{Cluster: shared, driver: e.Classic.Name()},
		workers: &Workers{Driven: &Driven{Cluster: shared, name: e.Classic.Name(), devices: e.Classic.DevicesPerNode()}, driver: e.Classic},
	}
	e.Cleanups = append(e.Cleanups, w.workers.cleanUp)
	w.Class = w.CreateClass(ctx, "any", w.driver)
	return w
}

// WaitForDevice waits until a pod runs and its container sees one device, which is one of
// its node. It returns the device as pool/name.
func (w *EarlierWorkers) WaitForDevice(ctx context.Context, pod, because string) string {
	ginkgo.GinkgoHelper()
	w.workers.waitUntilRuns(ctx, pod, because)
	node := w.WaitForBound(ctx, pod, because)
	var device string
	gomega.Eventually(ctx, func(ctx context.Context) error {
		found, err := seen(ctx, w.workers.env, pod)
		if err != nil {
			return err
		}
		if len(found) != 1 || !strings.HasPrefix(found[0], node+"/") {
			return fmt.Errorf("it sees the devices %v, and should see one of node %s", found, node)
		}
		device = found[0]
		return nil
	}).WithTimeout(w.env.Timeouts.PodStart).Should(gomega.Succeed(), "the container of pod %s should see the device of its claim", pod)
	return device
}
