// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"strings"

	"github.com/draconform/draconform/clusters"
)

// VendorsModule is the nested module with drivers, and its folder in the repository.
const VendorsModule = "e2e/vendors"

// Registry is the registry in the names of drivers' images. There is no such registry:
// the images are loaded into the nodes.
const Registry = "registry.example.com/dra"

// BuildTag returns the build tag of drivers' code that depends on the release, such as
// kubernetes_1_37.
func BuildTag(release clusters.Release) string {
	return "kubernetes_" + strings.ReplaceAll(release.Minor, ".", "_")
}
