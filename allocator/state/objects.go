// Package state reads the state of a cluster, as far as it concerns the allocation of devices, from YAML and
// JSON files: what drivers publish, classes, claims, and nodes.
package state

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Origin says where an object was read.
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

// Objects is what was read, in the order it was read in. All of it is in version v1, with the API's defaults.
type Objects struct {
	Slices  []*resourceapi.ResourceSlice
	Classes []*resourceapi.DeviceClass
	Claims  []*resourceapi.ResourceClaim
	// Templates are claims to come; nothing of them is allocated.
	Templates []*resourceapi.ResourceClaimTemplate
	Nodes     []*corev1.Node
	// Ignored are the kinds of the objects that have nothing to do with it, such as Pod, once each.
	Ignored []string

	origins map[metav1.Object]Origin
	order   map[metav1.Object]int
}

// Origin returns where the object was read. It is zero for one that Add brought in.
func (o *Objects) Origin(object metav1.Object) Origin { return o.origins[object] }

// Position returns the place of the object among all that were read, from 0.
func (o *Objects) Position(object metav1.Object) int { return o.order[object] }

// Empty tells whether there is nothing but ignored objects.
func (o *Objects) Empty() bool { return len(o.order) == 0 }

// Add appends an object that comes from somewhere else than a file, and must be in version v1: a ResourceSlice,
// DeviceClass, ResourceClaim, ResourceClaimTemplate or Node. Others are left out.
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

func (o *Objects) ignore(kind string) {
	if !slices.Contains(o.Ignored, kind) {
		o.Ignored = append(o.Ignored, kind)
	}
}
