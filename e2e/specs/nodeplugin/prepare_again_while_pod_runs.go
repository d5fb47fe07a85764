// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// prepareAgainWhilePodRuns prepares the claim of a running pod ten more times,
// as a kubelet that is restarted does, and compares the answers with the one that
// the kubelet has stored. It does so once more after the claim was deleted, which
// stays as long as the pod.
var prepareAgainWhilePodRuns = suite.Spec{
	ID:           "prepare-again-while-pod-runs",
	Description:  "A driver that is asked to prepare the claim of a running pod again returns the same devices and CDI devices each time, also when the claim is deleted meanwhile, and the pod keeps running.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-prepare-is-idempotent"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		claim := device.run(ctx, e, "claim")
		container := pods.GetContainer(ctx, e, "claim-0")
		want := nodeagent.WaitForKubeletClaims(ctx, e, device.plugin, claim)
		for range 10 {
			nodeagent.ExpectSameAnswers(device.plugin, nodeagent.WaitForPrepared(ctx, e, device.plugin, claim), want, "being called again")
		}
		claims.DeleteWithoutWaiting(ctx, e, "claim")
		nodeagent.ExpectSameAnswers(device.plugin, nodeagent.WaitForPrepared(ctx, e, device.plugin, claim), want, "being deleted while a pod uses it")
		pods.ExpectNotRestarted(ctx, e, container, "claims that are prepared again")
	},
}
