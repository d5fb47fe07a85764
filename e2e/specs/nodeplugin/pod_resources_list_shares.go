// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// podResourcesListShares runs the pod of podResourcesListDevices with a claim for two
// shares, of the same device or of two, and calls List of the kubelet's PodResources API.
// A kubelet does not know the IDs of shares that the driver does not return.
var podResourcesListShares = suite.Spec{
	ID:           "pod-resources-list-shares",
	Description:  "The kubelet's PodResources API lists the shares of devices of a claim under the IDs of the shares that the driver returned, so that they are not mistaken for whole devices.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.SharedDevices},
	Component:    env.Kubelet,
	Kinds:        []subject.Kind{subject.KindShared},
	Capabilities: agentCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Since:        "1.36",
	Requirements: []string{"3695-shares-are-listed"},
	Body: func(ctx context.Context, e *env.Env) {
		share := findOnNode(ctx, e, e.Subject.Shared.Share)
		user, claim, answers := share.runWithIdleContainer(ctx, e)
		// The answers do not have what a kubelet drops before they get here.
		if !answers.HaveShares() && !drivers.HasReturnedShares(ctx, e, share.Driver, share.plugin.Node, "claim") {
			e.NotApplicable("needs a driver that returns the IDs of shares, which it need not do")
		}
		nodeagent.WaitForPodResources(ctx, e, share.plugin, "pod", user, claim, answers)
	},
}
