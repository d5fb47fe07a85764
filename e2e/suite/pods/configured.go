// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
)

// ExpectConfigured asserts whether a container of a pod sees that its exclusive
// device has the configuration of the driver file, or does not have it.
func ExpectConfigured(ctx context.Context, e *env.Env, pod, container string, configured bool) {
	ginkgo.GinkgoHelper()
	of := e.Subject.Exclusive.Configured
	var instead []string
	gomega.Eventually(ctx, func(ctx context.Context) (bool, error) {
		log, err := GetLog(ctx, e, pod, container)
		if err != nil {
			return false, err
		}
		var seen bool
		seen, instead, err = of.Seen(containerOf(ctx, e, pod, log))
		return seen, err
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Equal(configured), func() string {
		text := fmt.Sprintf("container %s of pod %s should see the configuration of its devices: %t\nby %s", container, pod, configured, of.By)
		return strings.Join(append([]string{text}, instead...), "\n")
	})
}
