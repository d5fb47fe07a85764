// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package foreign installs DRA drivers from manifests as their vendors would:
// nothing of the suite is in their pods and namespaces.
package foreign

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// Decode decodes the documents of a manifest. Unknown fields are errors.
func Decode(content []byte) ([]runtime.Object, error) {
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

// Create creates the objects of a manifest in their order. Existing objects are
// never changed.
func Create(ctx context.Context, config *rest.Config, objects []runtime.Object) error {
	client, mapper, err := connect(config)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := create(ctx, client, mapper, object); err != nil {
			return err
		}
	}
	return nil
}

// Delete deletes the objects of a manifest that exist. It does not wait until
// they are removed.
func Delete(ctx context.Context, config *rest.Config, objects []runtime.Object) error {
	client, mapper, err := connect(config)
	if err != nil {
		return err
	}
	var errs []error
	for _, object := range objects {
		errs = append(errs, remove(ctx, client, mapper, object))
	}
	return errors.Join(errs...)
}

func connect(config *rest.Config) (dynamic.Interface, meta.RESTMapper, error) {
	typed, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	resources, err := restmapper.GetAPIGroupResources(typed.Discovery())
	if err != nil {
		return nil, nil, fmt.Errorf("list the resources of the API server: %w", err)
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("connect to the cluster: %w", err)
	}
	return client, restmapper.NewDiscoveryRESTMapper(resources), nil
}

func create(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapper, object runtime.Object) error {
	o, resource, err := resourceOf(client, mapper, object)
	if err != nil {
		return err
	}
	if _, err := resource.Create(ctx, o, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}); err != nil {
		return fmt.Errorf("create %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	return nil
}

func remove(ctx context.Context, client dynamic.Interface, mapper meta.RESTMapper, object runtime.Object) error {
	o, resource, err := resourceOf(client, mapper, object)
	if err != nil {
		return err
	}
	if err := resource.Delete(ctx, o.GetName(), metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete %s %s: %w", o.GetKind(), o.GetName(), err)
	}
	return nil
}

// resourceOf returns an object and the client for objects of its kind in its
// namespace.
func resourceOf(client dynamic.Interface, mapper meta.RESTMapper, object runtime.Object) (*unstructured.Unstructured, dynamic.ResourceInterface, error) {
	kind := object.GetObjectKind().GroupVersionKind()
	mapping, err := mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, nil, fmt.Errorf("find the resource of %s: %w", kind, err)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, nil, fmt.Errorf("convert %s: %w", kind, err)
	}
	o := &unstructured.Unstructured{Object: content}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return o, client.Resource(mapping.Resource).Namespace(o.GetNamespace()), nil
	}
	return o, client.Resource(mapping.Resource), nil
}
