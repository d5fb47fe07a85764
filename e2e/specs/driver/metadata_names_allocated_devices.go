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

// metadataNamesAllocatedDevices runs a pod with a claim for three devices, two of
// them of one request, and compares the device metadata files in its container with the allocation.
var metadataNamesAllocatedDevices = suite.Spec{
	ID:           "metadata-names-allocated-devices",
	Description:  "A container that uses a claim has a device metadata file for each request of the claim, at the standard path, with the allocated devices. If the file states a claim, it is this one.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: metadataCapabilities,
	Devices:      3,
	MinNodes:     1,
	OneNode:      true,
	Since:        metadataSince,
	Requirements: []string{"5304-files-name-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		pods.CreateWithRequests(ctx, e, "pod", []devices.Request{{Name: "one", Device: device}, {Name: "two", Device: device, Count: 2}})
		pods.WaitForRunning(ctx, e, "pod")
		files := getMetadata(ctx, e, "pod", pods.MainContainer, device.Driver)
		expectMetadata(files, device.Driver, metadata.ResourceClaimFilePath, "pod", claims.GetAllocation(ctx, e, "pod").Results)
		expectMetadataOfClaim(files, e.Namespace, "pod", claims.GetUID(ctx, e, "pod"))
	},
}
