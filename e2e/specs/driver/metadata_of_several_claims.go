// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"
	"k8s.io/dynamic-resource-allocation/api/metadata"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// metadataOfSeveralClaims runs a pod whose container uses two claims with requests of the same
// name, and compares the device metadata file of each claim with its allocation.
var metadataOfSeveralClaims = suite.Spec{
	ID:           "metadata-of-several-claims",
	Description:  "A container that uses two claims has a device metadata file for the requests of each of them, with the devices of this claim, also if the requests have the same name.",
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
	Requirements: []string{"5304-files-name-devices"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		one := devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: device}})
		pods.CreateWithClaims(ctx, e, "pod", one, one)
		pods.WaitForRunning(ctx, e, "pod")
		files := getMetadata(ctx, e, "pod", pods.MainContainer, device.Driver)
		var paths []string
		for _, claim := range []string{"pod-0", "pod-1"} {
			path := metadata.ResourceClaimFilePath(device.Driver, claim, "device")
			own := pods.Metadata{}
			if file, ok := files[path]; ok {
				own[path] = file
			}
			expectMetadata(own, device.Driver, metadata.ResourceClaimFilePath, claim, claims.GetAllocation(ctx, e, claim).Results)
			expectMetadataOfClaim(own, e.Namespace, claim, claims.GetUID(ctx, e, claim))
			paths = append(paths, path)
		}
		gomega.Expect(files.Paths()).To(gomega.Equal(paths), "there should be one device metadata file for each claim, and no others")
	},
}
