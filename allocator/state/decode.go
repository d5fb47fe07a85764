// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package state

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	serializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/api/v1beta1"
	"k8s.io/dynamic-resource-allocation/api/v1beta2"
)

// scheme contains the versions of resource.k8s.io that can be converted to v1.
var scheme = newScheme()

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, resourceapi.AddToScheme, v1beta1.AddToScheme, v1beta2.AddToScheme} {
		if err := add(s); err != nil {
			panic(err) // Unreachable: the types are always the same.
		}
	}
	return s
}

var decoder = serializer.NewSerializerWithOptions(serializer.DefaultMetaFactory, scheme, scheme, serializer.SerializerOptions{Strict: true})

// kinds are the kinds that are read.
var kinds = sets.New("ResourceSlice", "DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "Node")

// header is the part that all objects and lists have in common.
type header struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []json.RawMessage `json:"items"`
}

// decode adds the contents of a document, which is an object or a list of
// objects.
func (o *Objects) decode(document []byte, origin Origin) error {
	var h header
	if err := json.Unmarshal(document, &h); err != nil {
		return fmt.Errorf("decode: %w", err)
	}
	if h.Kind == "" || h.APIVersion == "" {
		return errors.New("decode: not an object of Kubernetes, apiVersion or kind is missing")
	}
	element, isList := strings.CutSuffix(h.Kind, "List")
	if !isList {
		return o.decodeObject(document, h, origin)
	}
	for i, item := range h.Items {
		ofItem := header{}
		if err := json.Unmarshal(item, &ofItem); err != nil {
			return fmt.Errorf("item %d: decode: %w", i, err)
		}
		if ofItem.Kind == "" && element != "" { // Lists of one kind may omit it in their items.
			ofItem.Kind, ofItem.APIVersion = element, h.APIVersion
		}
		if err := o.decodeObject(item, ofItem, origin); err != nil {
			return fmt.Errorf("item %d: %w", i, err)
		}
	}
	return nil
}

func (o *Objects) decodeObject(data []byte, h header, origin Origin) error {
	group, _, _ := strings.Cut(h.APIVersion, "/")
	switch {
	case group == resourceapi.GroupName:
		if !scheme.IsVersionRegistered(runtimeKind(h).GroupVersion()) {
			return fmt.Errorf("decode %s: version %s is not supported, use v1, v1beta2 or v1beta1", h.Kind, h.APIVersion)
		}
	case h.APIVersion != "v1":
		o.ignore(Other{h.APIVersion, h.Kind, origin, data})
		return nil
	}
	kind := runtimeKind(h)
	if !scheme.Recognizes(kind) {
		return fmt.Errorf("decode: there is no kind %q in %s", h.Kind, h.APIVersion)
	}
	if !kinds.Has(h.Kind) {
		o.ignore(Other{h.APIVersion, h.Kind, origin, data})
		return nil
	}
	object, _, err := decoder.Decode(data, &kind, nil)
	if err != nil {
		return fmt.Errorf("decode %s: %w", h.Kind, err)
	}
	if object, err = latest(object); err != nil {
		return fmt.Errorf("convert %s from %s: %w", h.Kind, h.APIVersion, err)
	}
	switch object := object.(type) {
	case *resourceapi.ResourceClaim:
		setDefaults(&object.Spec)
	case *resourceapi.ResourceClaimTemplate:
		setDefaults(&object.Spec.Spec)
	}
	o.add(object, origin)
	return nil
}
