// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"strings"
	"sync"

	resourceapi "k8s.io/api/resource/v1"
)

// firstVersions are the classes that firstVersion was called with first, by name.
var firstVersions sync.Map

// firstVersion returns a class as it was when a claim first requested a class of this name, as a fault sees it.
func firstVersion(class *resourceapi.DeviceClass) *resourceapi.DeviceClass {
	first, _ := firstVersions.LoadOrStore(class.Name, class)
	return first.(*resourceapi.DeviceClass)
}

// withoutList returns the name of a subrequest without that of its request, as a fault compares it.
func withoutList(name string) string {
	_, sub, _ := strings.Cut(name, "/")
	return sub
}
