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

// metadataOfGeneratedClaims runs a pod whose claim is generated from a template,
// and looks for its device metadata file by the name of the claim in the pod.
var metadataOfGeneratedClaims = suite.Spec{
	ID:           "metadata-of-generated-claims",
	Description:  "The device metadata of a claim that is generated for a pod is in a file under the name that the pod gives the claim. What the file states about the claim is right.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: metadataCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Since:        metadataSince,
	Requirements: []string{"5304-files-of-generated-claims"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		claims.CreateTemplate(ctx, e, "template", devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device.Device}}))
		pods.CreateFromClaimTemplate(ctx, e, "pod", "template", device.node)
		pods.WaitForRunning(ctx, e, "pod")
		files := getMetadata(ctx, e, "pod", pods.MainContainer, device.Driver)
		generated := pods.GetGeneratedClaim(ctx, e, "pod")
		expectMetadata(files, device.Driver, metadata.ResourceClaimTemplateFilePath, pods.GeneratedClaim, claims.GetAllocation(ctx, e, generated).Results)
		expectMetadataOfClaim(files, e.Namespace, generated, claims.GetUID(ctx, e, generated))
		expectMetadataForPodClaim(files, pods.GeneratedClaim)
	},
}
