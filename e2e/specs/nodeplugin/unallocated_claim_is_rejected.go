// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// unallocatedClaimIsRejected prepares an allocated claim and one that is not
// allocated in the same call. The driver may reject the whole call. Then the
// allocated claim must be prepared by the next call, and the other one when a pod
// uses it, for which it is allocated.
var unallocatedClaimIsRejected = suite.Spec{
	ID:           "unallocated-claim-is-rejected",
	Description:  "A driver does not prepare a claim that is not allocated, and still prepares others. It prepares this one when it is allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-only-allocated-claims-are-prepared"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		good := device.hold(ctx, e, "good")
		created, err := claims.Create(ctx, e, "unallocated", devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device.Device}}))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		unallocated := operations.PluginClaim{Namespace: e.Namespace, Name: created.Name, UID: string(created.UID)}
		nodeagent.WaitForRejected(ctx, e, device.plugin, unallocated, good, "it is not allocated")
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{Node: device.plugin.Node}, "unallocated")
		pods.WaitForRunning(ctx, e, "pod")
		claim := nodeagent.GetClaim(ctx, e, "unallocated")
		nodeagent.ExpectAllocatedDevices(device.plugin, claim, nodeagent.WaitForPrepared(ctx, e, device.plugin, claim))
		// At the end of the spec the claim is unprepared, which must not happen while a
		// pod runs.
		pods.DeleteWithClaim(ctx, e, "unallocated", "pod")
	},
}
