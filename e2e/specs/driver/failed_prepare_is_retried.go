package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/fakedriver/calls"
)

// failedPrepareIsRetried lets the driver fail three calls to prepare, each in
// another way, for three pods on one node. The driver's calls must show the
// failures and then a success for each claim.
var failedPrepareIsRetried = suite.Spec{
	ID:           "failed-prepare-is-retried",
	Description:  "When the driver fails to prepare a claim, by an error for the call, an error for the claim, or a response without the claim, the pod is pending, the kubelet retries, and then the pod runs.",
	Profile:      profile,
	Features:     contractFeatures,
	Component:    env.Kubelet,
	Kinds:        contractKinds,
	MinNodes:     1,
	Needs:        contractNeeds,
	Requirements: []string{"4381-failed-prepare-is-repeated"},
	Body: func(ctx context.Context, e *env.Env) {
		use := useOnNode(ctx, e)
		use.disturb(ctx, e, calls.Prepare)
		var podNames []string
		for _, claim := range failing {
			podNames = append(podNames, use.start(ctx, e, claim))
		}
		for i, claim := range failing {
			drivers.WaitForCall(ctx, e, use.device.Driver, use.node, calls.Prepare, claim)
			pods.TriggerKubeletSync(ctx, e, podNames[i])
		}
		for _, pod := range podNames {
			pods.WaitForRunning(ctx, e, pod)
		}
		use.failedAndDone(ctx, e, calls.Prepare)
	},
}
