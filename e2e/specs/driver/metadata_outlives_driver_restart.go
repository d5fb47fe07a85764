// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/components"
	"github.com/draconform/draconform/e2e/suite/devices"
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
		claim := claims.Get(ctx, e, "claim")
		earlier := devices.WaitForOffered(ctx, e, claim)
		before := describedAttributes(getMetadata(ctx, e, first, pods.MainContainer, device.Driver))
		drivers.Restart(ctx, e, device.Driver, device.node)
		components.RestartKubelet(ctx, e, device.node)
		pods.CreateUsingClaims(ctx, e, "second", pods.Options{Node: device.node}, "claim")
		pods.WaitForRunning(ctx, e, "second")
		after := describedAttributes(getMetadata(ctx, e, "second", pods.MainContainer, device.Driver))
		now := devices.WaitForOffered(ctx, e, claim)
		for described, attributes := range before {
			for name, value := range attributes {
				want := gomega.HaveKeyWithValue(name, value)
				if isMeasured(claim, name, earlier, now) {
					want = gomega.HaveKey(name)
				}
				gomega.Expect(after[described]).To(want, "%s should have the attribute %s, as the file that was written before the driver was restarted", described, name)
			}
		}
	},
}

// isMeasured reports whether an attribute of a device of a claim is published with another value
// later, such as a temperature. A file that is written again may have another one, too.
func isMeasured(claim *resourceapi.ResourceClaim, name resourceapi.QualifiedName, earlier, later *audit.Inventory) bool {
	valueIn := func(inventory *audit.Inventory, id audit.DeviceID) *resourceapi.DeviceAttribute {
		device, _ := inventory.Device(id)
		for other, value := range device.Attributes {
			if inDomain(id.Driver, other) == inDomain(id.Driver, name) {
				return &value
			}
		}
		return nil
	}
	return slices.ContainsFunc(audit.Allocated(claim), func(id audit.DeviceID) bool {
		return !equality.Semantic.DeepEqual(valueIn(earlier, id), valueIn(later, id))
	})
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
