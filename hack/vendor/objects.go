// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/hack/internal/foreign"
)

// objects returns the objects of a driver's manifest in their order, with the
// arguments of the driver for a release.
func (v vendored) objects(source string, release clusters.Release) ([]runtime.Object, error) {
	path := v.manifest(source)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the manifest of driver %s: %w", v, err)
	}
	objects, err := foreign.Decode(content)
	if err != nil {
		return nil, fmt.Errorf("read manifest %s: %w", path, err)
	}
	for _, object := range objects {
		if set, ok := object.(*appsv1.DaemonSet); ok {
			plugin := &set.Spec.Template.Spec.Containers[0]
			plugin.Args = append(plugin.Args, v.args(release)...)
		}
	}
	return objects, nil
}
