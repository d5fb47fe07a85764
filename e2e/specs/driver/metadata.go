// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package driver

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/api/metadata"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// metadataSince is the first release with device metadata files.
const metadataSince = "1.36"

var metadataCapabilities = []subject.Capability{subject.DeviceMetadata}

// getMetadata returns the device metadata files of a driver in a container that
// uses devices of the driver. Without any file, the driver lacks the capability.
func getMetadata(ctx context.Context, e *env.Env, pod, container, driver string) pods.Metadata {
	ginkgo.GinkgoHelper()
	ginkgo.By(fmt.Sprintf("reading the device metadata files of container %s of pod %s", container, pod))
	files := pods.GetMetadata(ctx, e, pod, container, driver)
	missing := ""
	if len(files) == 0 {
		missing = fmt.Sprintf("container %s of pod %s has no files %s/*/*/*/%s", container, pod, metadata.ContainerDir, metadata.MetadataFileName(driver))
	}
	env.FindOutCapability(e, driver, subject.DeviceMetadata, missing)
	return files
}

// decodeMetadata returns the content of the files by path.
func decodeMetadata(files pods.Metadata) map[string]metadata.DeviceMetadata {
	ginkgo.GinkgoHelper()
	all := map[string]metadata.DeviceMetadata{}
	for _, path := range files.Paths() {
		file := files[path]
		content, err := file.Decode()
		gomega.Expect(err).NotTo(gomega.HaveOccurred(), "%s should be a device metadata file in a known version: %s", path, file)
		all[path] = content
	}
	return all
}

// metadataPath returns the path of the metadata file for a driver, a claim and
// a request without subrequest.
type metadataPath func(driver, claim, request string) string

// expectMetadata asserts that there is one file for each of the allocated
// requests with devices of a driver, and that it has the request and its
// devices. It may also have other requests of the claim.
func expectMetadata(files pods.Metadata, driver string, pathOf metadataPath, claim string, results []resourceapi.DeviceRequestAllocationResult) {
	ginkgo.GinkgoHelper()
	want := map[string][]string{}
	for _, result := range results {
		if result.Driver == driver {
			path := pathOf(driver, claim, resourceclaim.BaseRequestRef(result.Request))
			want[path] = append(want[path], deviceOfRequest(result.Request, result.Driver, result.Pool, result.Device))
		}
	}
	gomega.Expect(files.Paths()).To(gomega.Equal(slices.Sorted(maps.Keys(want))), "there should be one device metadata file for each request, and no others")
	all := slices.Concat(slices.Collect(maps.Values(want))...)
	contents := decodeMetadata(files)
	for _, path := range files.Paths() {
		var got []string
		for _, request := range contents[path].Requests {
			for _, device := range request.Devices {
				got = append(got, deviceOfRequest(request.Name, device.Driver, device.Pool, device.Name))
			}
		}
		gomega.Expect(got).To(gomega.ContainElements(want[path]), "%s should have the allocated devices of the request", path)
		gomega.Expect(all).To(gomega.ContainElements(got), "%s should only have devices that are allocated to the claim", path)
	}
}

// expectMetadataOfClaim asserts that files are about no other claim. A driver may
// leave out which one it is.
func expectMetadataOfClaim(files pods.Metadata, namespace, name, uid string) {
	ginkgo.GinkgoHelper()
	contents := decodeMetadata(files)
	for _, path := range files.Paths() {
		of := contents[path].ObjectMeta
		for _, field := range [][2]string{{of.Namespace, namespace}, {of.Name, name}, {string(of.UID), uid}} {
			gomega.Expect(field[0]).To(gomega.BeElementOf("", field[1]), "%s should be about claim %s/%s (UID %s)", path, namespace, name, uid)
		}
	}
}

// expectMetadataForPodClaim asserts that files of a claim that is generated for a pod give it
// no other name than the pod does. A driver may leave out this name.
func expectMetadataForPodClaim(files pods.Metadata, name string) {
	ginkgo.GinkgoHelper()
	contents := decodeMetadata(files)
	for _, path := range files.Paths() {
		gomega.Expect(ptr.Deref(contents[path].PodClaimName, name)).To(gomega.Equal(name), "%s should name the claim as the pod does", path)
	}
}

func deviceOfRequest(request, driver, pool, device string) string {
	return fmt.Sprintf("request %s: %s", request, strings.Join([]string{driver, pool, device}, "/"))
}
