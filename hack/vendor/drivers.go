// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/hack/internal/foreign"
)

// vendored is a driver of a vendor.
type vendored struct {
	// name is the name of the manifest, of the driver file and of the image.
	name string
	// driver is the name of the DRA driver.
	driver string
	// namespace and daemonSet are those of the manifest.
	namespace, daemonSet string
	// module and command are the source of the driver; see images.Image.
	module, command string
	// metadataArg is the argument that enables device metadata, if one does.
	metadataArg string
}

// drivers are all drivers that are installed.
var drivers = []vendored{{
	name: "test-driver", driver: "test-driver.cdi.k8s.io", namespace: "dra-test-driver", daemonSet: "kubelet-plugin",
	command: "k8s.io/kubernetes/test/e2e/dra/test-driver", metadataArg: "--enable-device-metadata",
}, {
	name: "boards", driver: "boards.example.com", namespace: "boards-driver", daemonSet: "kubelet-plugin",
	module: foreign.VendorsModule, command: foreign.VendorsModule + "/boards",
}}

// The tags of the images: the installed one and the one that an update installs.
// They have the same content.
const (
	installedTag = "v1.0.0"
	updatedTag   = "v1.0.1"
)

// images returns the images of the driver for a release.
func (v vendored) images(release clusters.Release) []images.Image {
	var all []images.Image
	for _, tag := range []string{installedTag, updatedTag} {
		all = append(all, images.Image{
			Ref: foreign.Registry + "/" + v.name + ":" + tag, Module: v.module, Package: v.command,
			Kubernetes: release.Version, Tags: []string{foreign.BuildTag(release)},
		})
	}
	return all
}

// firstMetadataRelease is the first release in which kubelet plugins can write
// device metadata files (KEP-5304).
const firstMetadataRelease = "1.36"

// args returns the arguments that the plugin has in a release in addition to
// those of its manifest.
func (v vendored) args(release clusters.Release) []string {
	if v.metadataArg == "" || !release.AtLeast(firstMetadataRelease) {
		return nil
	}
	return []string{v.metadataArg}
}

// manifest and driverFile return the paths of the driver's files.
func (v vendored) manifest(source string) string {
	return filepath.Join(source, "manifests", v.name+".yaml")
}

func (v vendored) driverFile(source string) string { return filepath.Join(source, v.name+".yaml") }

// installed returns the driver in a cluster.
func (v vendored) installed() foreign.Driver {
	return foreign.Driver{Name: v.driver, Namespace: v.namespace, DaemonSet: v.daemonSet}
}

// String returns a short description.
func (v vendored) String() string { return fmt.Sprintf("%s (%s)", v.name, v.driver) }
