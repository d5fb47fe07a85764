// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build kubernetes_1_36

package main

import (
	"k8s.io/dynamic-resource-allocation/api/metadata/v1alpha1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

// countersWithDevices states that a slice has either counters or devices
// (KEP-4815).
const countersWithDevices = false

// metadata returns the options with which containers get device metadata files
// (KEP-5304).
func metadata() []any {
	return []any{kubeletplugin.EnableDeviceMetadata(true), kubeletplugin.MetadataVersions(v1alpha1.SchemeGroupVersion)}
}
