// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/draconform/draconform/clusters"
)

// objects returns the objects of the driver's manifest for a release. Unknown
// fields are errors.
func (v vendored) objects(source string, release clusters.Release) ([]runtime.Object, error) {
	path := v.manifest(source)
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the manifest of driver %s: %w", v, err)
	}
	objects, err := decode(content)
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

func decode(content []byte) ([]runtime.Object, error) {
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
	var objects []runtime.Object
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("split its documents: %w", err)
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, fmt.Errorf("decode a document: %w", err)
		}
		objects = append(objects, object)
	}
}

// create creates an object. The API server rejects unknown fields.
func create(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapper, object runtime.Object) error {
	kind := object.GetObjectKind().GroupVersionKind()
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return fmt.Errorf("find the resource of %s: %w", kind, err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return fmt.Errorf("convert %s: %w", kind, err)
	}
	o := &unstructured.Unstructured{Object: content}
	var resource dynamic.ResourceInterface = client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		resource = client.Resource(mapping.Resource).Namespace(o.GetNamespace())
	}
	if _, err := resource.Create(ctx, o, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}); err != nil {
		return fmt.Errorf("create %s %s: %w", kind.Kind, o.GetName(), err)
	}
	return nil
}
