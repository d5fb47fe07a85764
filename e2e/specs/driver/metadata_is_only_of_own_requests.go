// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	"github.com/onsi/gomega"
	"k8s.io/dynamic-resource-allocation/api/metadata"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// metadataIsOnlyOfOwnRequests runs a pod with a container for each of two
// requests of a claim, and on the same node a pod without a claim. It reads the
// device metadata files in each of the containers.
var metadataIsOnlyOfOwnRequests = suite.Spec{
	ID:           "metadata-is-only-of-own-requests",
	Description:  "A container has device metadata files only for the requests that it uses, and a pod without a claim has none.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: append(slices.Clip(metadataCapabilities), containerCapabilities...),
	Devices:      2,
	MinNodes:     1,
	OneNode:      true,
	Since:        metadataSince,
	Requirements: []string{"5304-files-of-own-requests"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		pods.CreateWithContainerPerRequest(ctx, e, "pod", []devices.Request{{Name: "one", Device: device}, {Name: "two", Device: device}})
		pods.WaitForRunning(ctx, e, "pod")
		for _, request := range []string{"one", "two"} {
			files := getMetadata(ctx, e, "pod", request, device.Driver)
			gomega.Expect(files.Paths()).To(gomega.ConsistOf(metadata.ResourceClaimFilePath(device.Driver, "pod", request)),
				"container %s should have a device metadata file for its request only", request)
		}
		pods.CreateUsingClaims(ctx, e, "without-claim", pods.Options{Node: pods.GetNode(ctx, e, "pod")})
		pods.WaitForRunning(ctx, e, "without-claim")
		gomega.Expect(pods.GetMetadata(ctx, e, "without-claim", pods.MainContainer, device.Driver)).To(gomega.BeEmpty(), "a pod without a claim should have no device metadata files")
	},
}
