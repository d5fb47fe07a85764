// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// The needs of specs that use a device exclusively. The kind of the device does
// not matter.
var (
	exclusiveFeatures = []features.Feature{features.Core}
	exclusiveKinds    = []subject.Kind{subject.KindExclusive}
	// faultNeeds are those of specs that make calls of the driver fail.
	faultNeeds = []env.Need{env.NeedsDriverFaults, env.NeedsDriverCalls}
	// sharingCapabilities are those of specs with several pods of a node that use a
	// claim at the same time.
	sharingCapabilities = []subject.Capability{subject.ClaimSharing}
	// containerCapabilities are those of specs in which several containers of a pod use
	// a claim.
	containerCapabilities = []subject.Capability{subject.ContainerSharing}
)

// deviceOnNode is a device on a node whose driver a spec controls.
type deviceOnNode struct {
	subject.Device
	node string
}

// findDeviceOnNode returns an exclusive device on a node that has such devices.
func findDeviceOnNode(ctx context.Context, e *env.Env) deviceOnNode {
	ginkgo.GinkgoHelper()
	device := e.Subject.Exclusive.Device
	return deviceOnNode{device, devices.WaitForNodeWithDevices(ctx, e, device.Driver)}
}

// start starts a pod on the node that uses such a device. It returns the name
// of the pod.
func (d deviceOnNode) start(ctx context.Context, e *env.Env, claim string) string {
	ginkgo.GinkgoHelper()
	return pods.CreateSharingClaim(ctx, e, claim, d.Device, 1, pods.Options{Node: d.node})[0]
}

// startWithClaims starts a pod on the node that uses several claims for such a device each.
// It returns the UIDs of the claims.
func (d deviceOnNode) startWithClaims(ctx context.Context, e *env.Env, pod string, names ...string) map[string]string {
	ginkgo.GinkgoHelper()
	uids := map[string]string{}
	for _, name := range names {
		claim, err := claims.Create(ctx, e, name, devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: d.Device}}))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		uids[name] = string(claim.UID)
	}
	pods.CreateUsingClaims(ctx, e, pod, pods.Options{Node: d.node}, names...)
	return uids
}

// startAs starts a pod on the node that uses such a device by a claim of the same name.
func (d deviceOnNode) startAs(ctx context.Context, e *env.Env, pod string) {
	ginkgo.GinkgoHelper()
	pods.CreateWithClaimOnNode(ctx, e, pod, d.node, devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: d.Device}}))
}

// whole returns the parent device of an allocated device on this node, or the
// allocated device itself if it has no parent.
func (d deviceOnNode) whole(ctx context.Context, e *env.Env, allocated audit.DeviceID) deviceOnNode {
	ginkgo.GinkgoHelper()
	exclusive := e.Subject.Exclusive
	return deviceOnNode{exclusive.OfParent(exclusive.Whole, devices.GetParent(ctx, e, exclusive.Parents, allocated)), d.node}
}
