// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package partitioning

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// createPodOnNode starts a pod on a node with a claim for the device of this
// name.
func createPodOnNode(ctx context.Context, e *env.Env, s *simulated.Nodes, node, pod, device string) {
	ginkgo.GinkgoHelper()
	pods.CreateWithClaimOnNode(ctx, e, pod, node, devices.NewDeviceClaim(fixture.RequestFor(s, device)))
}
