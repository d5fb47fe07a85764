// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// podsGoneWithoutKubeletAreUnprepared deletes a running pod by force, and its claim, while the
// kubelet of its node does not run, as happens when a node is lost. The next kubelet finds
// neither of them in the API.
var podsGoneWithoutKubeletAreUnprepared = suite.Spec{
	ID:           "pods-gone-without-kubelet-are-unprepared",
	Description:  "When a pod and its claim are removed while the kubelet of their node does not run, the next kubelet has the driver unprepare the claim.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsNodes, env.NeedsClaimsInUse},
	Requirements: []string{"4381-kubelet-remembers-prepared-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pod := device.start(ctx, e, "gone")
		pods.WaitForRunning(ctx, e, pod)
		device.expectUnpreparedByNextKubelet(ctx, e, pod, "gone")
	},
}

// expectUnpreparedByNextKubelet removes a pod and its claim while the kubelet does not run, and
// waits until the driver has unprepared the claim.
func (d deviceOnNode) expectUnpreparedByNextKubelet(ctx context.Context, e *env.Env, pod, claim string) {
	ginkgo.GinkgoHelper()
	pods.LeaveToKubelet(e)
	components.WithoutKubelet(ctx, e, d.node, func() {
		pods.DeleteByForce(ctx, e, pod)
		claims.Delete(ctx, e, claim)
	})
	drivers.WaitForUnprepared(ctx, e, d.Driver, d.node, claim)
}
