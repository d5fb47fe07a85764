// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/drivers"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// metadataOutlivesDriverRestart runs a pod with a device, kills the driver and the
// kubelet, which then has the claim prepared again for a second pod, and compares the
// attributes in the device metadata files of both pods.
var metadataOutlivesDriverRestart = suite.Spec{
	ID:           "metadata-outlives-driver-restart",
	Description:  "When a driver that was killed prepares a claim again, the device metadata files that containers get have the same attributes as before.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: append(slices.Clip(metadataCapabilities), sharingCapabilities...),
	MinNodes:     1,
	OneNode:      true,
	Since:        metadataSince,
	Needs:        []env.Need{env.NeedsDriverRestart, env.NeedsNodes},
	Requirements: []string{"5304-files-outlive-restarts"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		first := device.start(ctx, e, "claim")
		pods.WaitForRunning(ctx, e, first)
		before := describedAttributes(getMetadata(ctx, e, first, pods.MainContainer, device.Driver))
		drivers.Restart(ctx, e, device.Driver, device.node)
		components.RestartKubelet(ctx, e, device.node)
		pods.CreateUsingClaims(ctx, e, "second", pods.Options{Node: device.node}, "claim")
		pods.WaitForRunning(ctx, e, "second")
		after := describedAttributes(getMetadata(ctx, e, "second", pods.MainContainer, device.Driver))
		for described, attributes := range before {
			for name, value := range attributes {
				gomega.Expect(after[described]).To(gomega.HaveKeyWithValue(name, value),
					"%s should have the attribute %s, as the file that was written before the driver was restarted", described, name)
			}
		}
	},
}

// describedAttributes returns the attributes in device metadata files by their names.
// The keys are the paths of the files and the names of the devices.
func describedAttributes(files pods.Metadata) map[string]map[resourceapi.QualifiedName]resourceapi.DeviceAttribute {
	ginkgo.GinkgoHelper()
	all := map[string]map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{}
	for path, content := range decodeMetadata(files) {
		for _, request := range content.Requests {
			for _, described := range request.Devices {
				all[path+": "+deviceOfRequest(request.Name, described.Driver, described.Pool, described.Name)] = described.Attributes
			}
		}
	}
	return all
}
