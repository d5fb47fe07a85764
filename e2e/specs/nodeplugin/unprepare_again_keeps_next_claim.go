// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"
	"fmt"
	"reflect"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// unprepareAgainKeepsNextClaim prepares, unprepares and deallocates a claim, and prepares
// another one that was allocated the same device. Then it unprepares the first one again, as
// a kubelet does that was restarted before it stored that the claim was unprepared.
var unprepareAgainKeepsNextClaim = suite.Spec{
	ID:           "unprepare-again-keeps-next-claim",
	Description:  "A driver that is asked again to unprepare a claim leaves the claim prepared that was allocated its device since.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: agentCapabilities,
	Devices:      4,
	MinNodes:     1,
	OneNode:      true,
	Needs:        agentNeeds,
	Requirements: []string{"4381-unprepares-what-is-named", "4381-unprepare-is-idempotent"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		visible := filesAreVisible(ctx, e, device.plugin, device.run(ctx, e, "evidence"))
		earlier := device.hold(ctx, e, "earlier")
		device.prepareOnce(ctx, e, earlier)
		nodeagent.DeallocateHeldClaim(ctx, e, earlier)
		next := device.holdSame(ctx, e, earlier)
		want := nodeagent.WaitForPrepared(ctx, e, device.plugin, next)
		nodeagent.ExpectAllocatedDevices(device.plugin, next, want)
		nodeagent.WaitForUnprepared(ctx, e, device.plugin, earlier.PluginClaim)
		if visible {
			nodeagent.ExpectCDIDevices(ctx, e, device.plugin, want)
		}
		nodeagent.ExpectSameAnswers(device.plugin, nodeagent.WaitForPrepared(ctx, e, device.plugin, next), want, "a call that unprepares the former claim of its device")
	},
}

// holdSame creates a claim that has the devices of an earlier one that is not allocated any
// more. A scheduler may choose others first.
func (d deviceOnNode) holdSame(ctx context.Context, e *env.Env, earlier nodeagent.Claim) nodeagent.Claim {
	ginkgo.GinkgoHelper()
	for i := range 3 {
		if next := d.hold(ctx, e, fmt.Sprintf("next-%d", i)); reflect.DeepEqual(next.Results, earlier.Results) {
			return next
		}
	}
	e.NotApplicable("needs two claims that have the same device one after the other, and the scheduler chose others")
	return nodeagent.Claim{}
}
