// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// metadataAgreesWithSlices runs a pod with two devices, and compares the attributes
// in its device metadata files with those of the same devices in the ResourceSlices.
// A driver may publish attributes only in one of the two places.
var metadataAgreesWithSlices = suite.Spec{
	ID:           "metadata-agrees-with-slices",
	Description:  "An attribute that a device has both in its ResourceSlice and in a device metadata file has the same value in both.",
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
	Requirements: []string{"5304-attributes-agree"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		before, err := devices.GetInventory(ctx, e)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.CreateWithClaimOnNode(ctx, e, "pod", device.node, devices.NewDeviceClaim([]devices.Request{
			{Name: "one", Device: device.Device}, {Name: "two", Device: device.Device},
		}))
		pods.WaitForRunning(ctx, e, "pod")
		files := getMetadata(ctx, e, "pod", pods.MainContainer, device.Driver)
		inventory := devices.WaitForOffered(ctx, e, claims.Get(ctx, e, "pod"))
		compared := 0
		contents := decodeMetadata(files)
		for _, path := range files.Paths() {
			for _, request := range contents[path].Requests {
				for _, described := range request.Devices {
					id := audit.DeviceID{Driver: described.Driver, Pool: described.Pool, Device: described.Name}
					published, ok := inventory.Device(id)
					gomega.Expect(ok).To(gomega.BeTrue(), "device %s in %s should be in a ResourceSlice", id, path)
					earlier, _ := before.Device(id)
					compared += expectSameAttributes(path, id, described.Attributes, published.Attributes, earlier.Attributes)
				}
			}
		}
		if compared == 0 {
			e.NotApplicable("no attribute of a device is both in its ResourceSlice and in a device metadata file")
		}
	},
}

// attributes are those of a device.
type attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute

// expectSameAttributes compares the attributes that a device has in both places,
// and returns their number. The driver may have published another value since it wrote
// the file: the value in the file is that of now or an earlier one. An attribute with
// different values in the slices, such as a temperature, changes by itself, and may have had
// any other in between.
func expectSameAttributes(path string, id audit.DeviceID, described attributes, published ...attributes) int {
	ginkgo.GinkgoHelper()
	values := map[string][]resourceapi.DeviceAttribute{}
	for _, of := range published {
		for name, value := range of {
			values[inDomain(id.Driver, name)] = append(values[inDomain(id.Driver, name)], value)
		}
	}
	compared := 0
	for name, value := range described {
		want := values[inDomain(id.Driver, name)]
		if changes := len(want) > 1 && !equality.Semantic.DeepEqual(want[0], want[1]); len(want) > 0 && !changes {
			gomega.Expect(want).To(gomega.ContainElement(value), "attribute %s of device %s in %s should have the value of its ResourceSlice", name, id, path)
			compared++
		}
	}
	return compared
}

// inDomain returns the name of an attribute with its domain, which is the name
// of the driver by default.
func inDomain(driver string, name resourceapi.QualifiedName) string {
	if strings.Contains(string(name), "/") {
		return string(name)
	}
	return driver + "/" + string(name)
}
