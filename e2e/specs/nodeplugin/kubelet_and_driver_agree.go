// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// kubeletAndDriverAgree runs and deletes pods on a node, and reads the
// checkpoint of the kubelet: it must have the claim of the pod that still runs,
// with the devices that the driver returns for it now, and no claims of deleted
// pods.
var kubeletAndDriverAgree = suite.Spec{
	ID:           "kubelet-and-driver-agree",
	Description:  "After many pods have been created and deleted, the kubelet has stored the claims of running pods only, with the devices that the driver returns for them.",
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
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		stays := device.run(ctx, e, "stays")
		for _, name := range []string{"one", "two", "three"} {
			device.run(ctx, e, name)
			pods.DeleteWithClaim(ctx, e, name, name+"-0")
		}
		stored := nodeagent.WaitForKubeletClaims(ctx, e, device.plugin, stays)
		nodeagent.ExpectSameAnswers(device.plugin, nodeagent.WaitForPrepared(ctx, e, device.plugin, stays), stored, "pods that came and went")
	},
}
