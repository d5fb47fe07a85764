// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
)

// ExpectConfigured asserts whether a container of a pod sees that its exclusive
// device has the configuration of the driver file, or does not have it.
func ExpectConfigured(ctx context.Context, e *env.Env, pod, container string, configured bool) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) (bool, error) {
		log, err := GetLog(ctx, e, pod, container)
		if err != nil {
			return false, err
		}
		return e.Subject.Exclusive.Configured.Seen(containerOf(ctx, e, pod, log))
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Equal(configured), "container %s of pod %s should see the configuration of its devices: %t", container, pod, configured)
}
