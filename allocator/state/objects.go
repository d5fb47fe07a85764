// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package state reads the state of a cluster that is relevant to the allocation of devices from YAML and JSON
// files: ResourceSlices, classes, claims, and nodes.
package state

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Origin is where an object was read.
type Origin struct {
	// File is the path as given or found, "-" for standard input.
	File string
	// Document counts the documents of the file that are not empty, from 1.
	Document int
}

// String returns for instance "pool.yaml, document 2".
func (o Origin) String() string {
	if o.File == "" {
		return "cluster"
	}
	return fmt.Sprintf("%s, document %d", o.File, o.Document)
}

// Objects are the objects that were read, in that order. All of them are in version v1, with the API's
// defaults.
type Objects struct {
	Slices  []*resourceapi.ResourceSlice
	Classes []*resourceapi.DeviceClass
	Claims  []*resourceapi.ResourceClaim
	// Templates are templates of claims that do not exist yet. They have no allocations.
	Templates []*resourceapi.ResourceClaimTemplate
	Nodes     []*corev1.Node
	// Ignored are the kinds of the irrelevant objects, such as Pod, once each.
	Ignored []string
	// Others are the irrelevant objects.
	Others []Other

	origins map[metav1.Object]Origin
	order   map[metav1.Object]int
}

// Other is an object that is irrelevant to the allocation of devices.
type Other struct {
	APIVersion, Kind string
	Origin           Origin
	// JSON is the object as it was read.
	JSON []byte
}

// Origin returns where the object was read. It is zero for an object that was added with Add.
func (o *Objects) Origin(object metav1.Object) Origin { return o.origins[object] }

// Position returns the index of the object among all that were read, from 0.
func (o *Objects) Position(object metav1.Object) int { return o.order[object] }

// Empty reports whether nothing but ignored objects was read.
func (o *Objects) Empty() bool { return len(o.order) == 0 }

// Add appends an object that was not read from a file. It must be in version v1: a ResourceSlice, DeviceClass,
// ResourceClaim, ResourceClaimTemplate or Node. Other objects are ignored.
func (o *Objects) Add(object any) {
	o.add(object, Origin{})
}

func (o *Objects) add(object any, origin Origin) {
	switch object := object.(type) {
	case *resourceapi.ResourceSlice:
		o.Slices = append(o.Slices, object)
		o.note(object, origin)
	case *resourceapi.DeviceClass:
		o.Classes = append(o.Classes, object)
		o.note(object, origin)
	case *resourceapi.ResourceClaim:
		o.Claims = append(o.Claims, object)
		o.note(object, origin)
	case *resourceapi.ResourceClaimTemplate:
		o.Templates = append(o.Templates, object)
		o.note(object, origin)
	case *corev1.Node:
		o.Nodes = append(o.Nodes, object)
		o.note(object, origin)
	}
}

func (o *Objects) note(object metav1.Object, origin Origin) {
	if o.origins == nil {
		o.origins = map[metav1.Object]Origin{}
		o.order = map[metav1.Object]int{}
	}
	o.order[object] = len(o.order)
	o.origins[object] = origin
}

func (o *Objects) ignore(other Other) {
	o.Others = append(o.Others, other)
	if !slices.Contains(o.Ignored, other.Kind) {
		o.Ignored = append(o.Ignored, other.Kind)
	}
}
