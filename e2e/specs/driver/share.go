// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// findShareOnNode returns a share of a device on a node that has such devices.
func findShareOnNode(ctx context.Context, e *env.Env) deviceOnNode {
	ginkgo.GinkgoHelper()
	share := e.Subject.Shared.Share
	return deviceOnNode{share, devices.WaitForNodeWithDevices(ctx, e, share.Driver)}
}

// ofDeviceOf returns a share of the same device as that of a claim.
func (d deviceOnNode) ofDeviceOf(ctx context.Context, e *env.Env, claim string) deviceOnNode {
	ginkgo.GinkgoHelper()
	return deviceOnNode{e.Subject.Shared.Of(claims.GetDeviceIdentity(ctx, e, claim)), d.node}
}

// run starts a pod on the node that uses such a device, and waits until it runs. It
// returns the container of the pod.
func (d deviceOnNode) run(ctx context.Context, e *env.Env, claim string) pods.Container {
	ginkgo.GinkgoHelper()
	pod := d.start(ctx, e, claim)
	pods.WaitForRunning(ctx, e, pod)
	return pods.GetContainer(ctx, e, pod)
}
