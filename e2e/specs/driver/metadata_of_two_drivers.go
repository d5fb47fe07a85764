// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"k8s.io/dynamic-resource-allocation/api/metadata"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// metadataOfTwoDrivers runs a pod whose claim has devices of two drivers, and looks for a
// device metadata file of each driver.
var metadataOfTwoDrivers = suite.Spec{
	ID:           "metadata-of-two-drivers",
	Description:  "A container that uses a claim with devices of two drivers has a device metadata file of each of them, with the devices of this driver and no others.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     twoDriverFeatures,
	Component:    env.Driver,
	Kinds:        twoDriverKinds,
	Capabilities: metadataCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Since:        metadataSince,
	Requirements: []string{"5304-files-name-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		two := findTwoDrivers(e)
		two.createClaim(ctx, e, "both", two.exclusive, two.shared)
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{}, "both")
		pods.WaitForRunning(ctx, e, "pod")
		results := claims.GetAllocation(ctx, e, "both").Results
		for _, device := range two.devices() {
			files := getMetadata(ctx, e, "pod", pods.MainContainer, device.Driver)
			expectMetadata(files, device.Driver, metadata.ResourceClaimFilePath, "both", results)
		}
	},
}
