// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"k8s.io/dynamic-resource-allocation/api/metadata"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// metadataEndsWithClaim runs a pod with a claim, and then one with another claim of the
// same name on the same node, and compares the device metadata files of the second pod
// with its own claim.
var metadataEndsWithClaim = suite.Spec{
	ID:           "metadata-ends-with-claim",
	Description:  "When a pod and its claim are deleted, their device metadata goes with them: the next pod of the node, whose claim has the same name, has the files of its own claim and no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: metadataCapabilities,
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Since:        metadataSince,
	Requirements: []string{"5304-files-of-own-claim"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		for _, request := range []string{"earlier", "later"} {
			wanted := devices.NewDeviceClaim([]devices.Request{{Name: request, Device: device.Device}, {Name: "same", Device: device.Device}})
			pods.CreateWithClaimOnNode(ctx, e, "pod", device.node, wanted)
			pods.WaitForRunning(ctx, e, "pod")
			files := getMetadata(ctx, e, "pod", pods.MainContainer, device.Driver)
			expectMetadata(files, device.Driver, metadata.ResourceClaimFilePath, "pod", claims.GetAllocation(ctx, e, "pod").Results)
			expectMetadataOfClaim(files, e.Namespace, "pod", claims.GetUID(ctx, e, "pod"))
			pods.DeleteWithClaim(ctx, e, "pod", "pod")
		}
	},
}
