// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// configuredFields are those of specs about configurations.
var configuredFields = []subject.Field{subject.ExclusiveConfigured}

// expectConfigured runs a pod with a claim for a device that is configured and one
// that is not, and a container for each of them. Only the first container must see
// the configuration.
func expectConfigured(ctx context.Context, e *env.Env, configured, plain subject.Device) {
	ginkgo.GinkgoHelper()
	pods.CreateWithContainerPerRequest(ctx, e, "pod", []devices.Request{{Name: "configured", Device: configured}, {Name: "plain", Device: plain}})
	pods.WaitForRunning(ctx, e, "pod")
	for _, request := range []string{"configured", "plain"} {
		pods.ExpectConfigured(ctx, e, "pod", request, request == "configured")
	}
}
