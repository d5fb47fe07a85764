// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// claimsOfAPodShareACall runs a pod with two claims for devices of one driver, next
// to another pod, and deletes it. The driver's calls must name both claims, with
// their namespace, names and UIDs, and not the claim of the other pod.
var claimsOfAPodShareACall = suite.Spec{
	ID:           "claims-of-a-pod-share-a-call",
	Description:  "The kubelet has a driver prepare all claims of a pod in one call, and unprepare them in one call. A call has the namespace, the name and the UID of each claim, and names no claims of other pods.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Kubelet,
	Kinds:        exclusiveKinds,
	Devices:      3,
	MinNodes:     1,
	OneNode:      true,
	Needs:        []env.Need{env.NeedsDriverCalls},
	Requirements: []string{"4381-claim-named", "4381-claims-of-a-pod-together"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pods.WaitForRunning(ctx, e, device.start(ctx, e, "neighbour"))
		uids := device.startWithClaims(ctx, e, "pod", "one", "two")
		pods.WaitForRunning(ctx, e, "pod")
		drivers.ExpectCalledTogether(ctx, e, device.Driver, device.node, operations.Prepare, uids)
		pods.Delete(ctx, e, "pod")
		drivers.ExpectCalledTogether(ctx, e, device.Driver, device.node, operations.Unprepare, uids)
	},
}
