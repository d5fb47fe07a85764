// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"k8s.io/dynamic-resource-allocation/api/metadata"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// metadataNamesChosenAlternative runs a pod with a claim whose request has two
// subrequests, and compares its device metadata file with the allocation.
var metadataNamesChosenAlternative = suite.Spec{
	ID:           "metadata-names-chosen-alternative",
	Description:  "The device metadata of a request with subrequests is in a file of the request, which names the chosen subrequest.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.PrioritizedList},
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: metadataCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Since:        metadataSince,
	Requirements: []string{"5304-files-name-subrequests"},
	Body: func(ctx context.Context, e *env.Env) {
		device := e.Subject.Exclusive.Device
		pods.CreateWithRequests(ctx, e, "pod", []devices.Request{{Name: "list", FirstAvailable: []devices.SubRequest{{Name: "first", Device: device}, {Name: "second", Device: device}}}})
		pods.WaitForRunning(ctx, e, "pod")
		files := getMetadata(ctx, e, "pod", pods.MainContainer, device.Driver)
		expectMetadata(files, device.Driver, metadata.ResourceClaimFilePath, "pod", claims.GetAllocation(ctx, e, "pod").Results)
	},
}
