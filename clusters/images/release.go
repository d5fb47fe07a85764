// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package images

import (
	"cmp"
	"path"
	"strings"

	"github.com/draconform/draconform/internal/version"
)

// Registry is where the images of releases are.
const Registry = "ghcr.io/draconform"

// Architectures are those of the images of releases, as in the node label
// kubernetes.io/arch.
var Architectures = []string{"amd64", "arm64"}

// All returns the suite's images of releases, in the order of their names.
func All() []Image { return []Image{Draconform, Fakedriver, NodeAgent, Scheduler, Workload} }

// Name returns the name of the image without its registry and its tag.
func (i Image) Name() string {
	name, _, _ := strings.Cut(path.Base(i.Ref), ":")
	return name
}

// Reference returns the reference under which nodes of an existing cluster find
// the image. If this program is a release, that is the image of the same release
// in a registry, which has a path, such as registry.example.com/dra. Default:
// [Registry]. Otherwise it is the field Ref, in the registry if there is one.
func (i Image) Reference(registry string) string { return i.reference(version.Release(), registry) }

func (i Image) reference(release, registry string) string {
	registry = strings.TrimSuffix(registry, "/")
	switch {
	case release != "":
		return cmp.Or(registry, Registry) + "/" + i.Name() + ":" + release
	case registry != "":
		return registry + "/" + path.Base(i.Ref)
	}
	return i.Ref
}
