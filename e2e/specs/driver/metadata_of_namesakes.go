// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"k8s.io/dynamic-resource-allocation/api/metadata"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// metadataOfNamesakes runs pods with claims of the same name in two namespaces on one node, and
// compares the device metadata files of both with their claims. The files have the same path in
// both containers.
var metadataOfNamesakes = suite.Spec{
	ID:           "metadata-of-namesakes",
	Description:  "Pods of one node whose claims have the same name in different namespaces have the device metadata of their own claim.",
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
	Needs:        []env.Need{env.NeedsOwnNamespace},
	Requirements: []string{"5304-files-of-own-claim"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		for _, of := range []*env.Env{e, namespaces.CreateOther(ctx, e)} {
			pod := device.start(ctx, of, "claim")
			pods.WaitForRunning(ctx, of, pod)
			files := getMetadata(ctx, of, pod, pods.MainContainer, device.Driver)
			expectMetadata(files, device.Driver, metadata.ResourceClaimFilePath, "claim", claims.GetAllocation(ctx, of, "claim").Results)
			expectMetadataOfClaim(files, of.Namespace, "claim", claims.GetUID(ctx, of, "claim"))
		}
	},
}
