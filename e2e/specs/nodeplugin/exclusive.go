// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// The needs of specs that use a device exclusively. The kind of the device does
// not matter.
var (
	exclusiveFeatures = []features.Feature{features.Core}
	exclusiveKinds    = []subject.Kind{subject.KindExclusive}
	agentNeeds        = []env.Need{env.NeedsNodeAgent}
	agentCapabilities = []subject.Capability{subject.NodeOperations}
	// cdiCapabilities are those of specs that only compare CDI files.
	cdiCapabilities = []subject.Capability{subject.NodeOperations, subject.CDI}
)

// deviceOnNode is a device on a node whose driver a spec calls.
type deviceOnNode struct {
	subject.Device
	plugin nodeagent.Plugin
}

// findDeviceOnNode returns an exclusive device on a node that has such devices.
func findDeviceOnNode(ctx context.Context, e *env.Env) deviceOnNode {
	ginkgo.GinkgoHelper()
	return findOnNode(ctx, e, e.Subject.Exclusive.Device)
}

// findOnNode returns such a device on a node that has devices of its driver.
func findOnNode(ctx context.Context, e *env.Env, device subject.Device) deviceOnNode {
	ginkgo.GinkgoHelper()
	found := deviceOnNode{device, nodeagent.Plugin{Driver: device.Driver, Node: devices.WaitForNodeWithDevices(ctx, e, device.Driver)}}
	found.expectNodeOperations(ctx, e)
	if why := nodeagent.Unreachable(ctx, e, found.plugin); why != "" {
		e.NotApplicable("needs a driver that node agents can call; " + why)
	}
	return found
}

// hold creates a claim for such a device that only the spec prepares.
func (d deviceOnNode) hold(ctx context.Context, e *env.Env, claim string) nodeagent.Claim {
	ginkgo.GinkgoHelper()
	return d.holdRequests(ctx, e, claim, devices.Request{Name: "device", Device: d.Device})
}

// holdRequests is hold for any requests with a device of the driver.
func (d deviceOnNode) holdRequests(ctx context.Context, e *env.Env, claim string, requests ...devices.Request) nodeagent.Claim {
	ginkgo.GinkgoHelper()
	held := nodeagent.CreateHeldClaim(ctx, e, d.plugin, claim, requests...)
	d.expectCalls(e, held)
	return held
}

// createClaim creates a claim for devices of the driver.
func (deviceOnNode) createClaim(ctx context.Context, e *env.Env, name string, requests ...devices.Request) {
	ginkgo.GinkgoHelper()
	_, err := claims.Create(ctx, e, name, devices.NewDeviceClaim(requests))
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
}

// run starts a pod on the node that uses such a device, and waits until it runs.
// It returns the claim of the pod.
func (d deviceOnNode) run(ctx context.Context, e *env.Env, claim string) nodeagent.Claim {
	ginkgo.GinkgoHelper()
	pods.WaitForRunning(ctx, e, d.start(ctx, e, claim))
	running := nodeagent.GetClaim(ctx, e, claim)
	d.expectCalls(e, running)
	return running
}

// start starts a pod on the node that uses such a device. It returns the name of
// the pod.
func (d deviceOnNode) start(ctx context.Context, e *env.Env, claim string) string {
	ginkgo.GinkgoHelper()
	return pods.CreateSharingClaim(ctx, e, claim, d.Device, 1, pods.Options{Node: d.plugin.Node})[0]
}
