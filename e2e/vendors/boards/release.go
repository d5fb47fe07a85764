// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !kubernetes_1_34 && !kubernetes_1_35 && !kubernetes_1_36

package main

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/dynamic-resource-allocation/api/metadata/v1beta1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
)

// countersWithDevices states that a slice has either counters or devices
// (KEP-4815).
const countersWithDevices = false

// metadata returns the options with which containers get device metadata files
// (KEP-5304).
func metadata() []any {
	return []any{kubeletplugin.EnableDeviceMetadata(true, []schema.GroupVersion{v1beta1.SchemeGroupVersion})}
}
