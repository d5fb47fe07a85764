// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// metadataIsVersioned runs a pod with a device, and reads the API version and
// the kind of each object in its device metadata files.
var metadataIsVersioned = suite.Spec{
	ID:           "metadata-is-versioned",
	Description:  "A device metadata file consists of JSON objects of the kind DeviceMetadata, each in another version of the API group metadata.resource.k8s.io.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     exclusiveFeatures,
	Component:    env.Driver,
	Kinds:        exclusiveKinds,
	Capabilities: metadataCapabilities,
	MinNodes:     1,
	OneNode:      true,
	Since:        metadataSince,
	Requirements: []string{"5304-files-are-versioned"},
	Body: func(ctx context.Context, e *env.Env) {
		device := findDeviceOnNode(ctx, e)
		pod := device.start(ctx, e, "claim")
		pods.WaitForRunning(ctx, e, pod)
		files := getMetadata(ctx, e, pod, pods.MainContainer, device.Driver)
		decodeMetadata(files)
		for _, path := range files.Paths() {
			file := files[path]
			types, err := file.Types()
			gomega.Expect(err).NotTo(gomega.HaveOccurred(), "%s should consist of JSON objects: %s", path, file)
			versions := map[string]bool{}
			for _, object := range types {
				gomega.Expect(object.APIVersion).To(gomega.MatchRegexp(metadataVersions), "%s should state the version of each object", path)
				gomega.Expect(object.Kind).To(gomega.Equal("DeviceMetadata"), "%s should have objects of this kind", path)
				gomega.Expect(versions).NotTo(gomega.HaveKey(object.APIVersion), "%s should have one object in each version", path)
				versions[object.APIVersion] = true
			}
		}
	},
}

// metadataVersions matches the versions of the API group of device metadata.
const metadataVersions = `^metadata\.resource\.k8s\.io/v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$`
