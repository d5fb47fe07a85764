// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package versions reads and writes objects of resource.k8s.io in one version of
// the API, as JSON with fields that this program need not know.
package versions

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/retry"

	"github.com/draconform/draconform/e2e/suite/env"
)

// Object is an object of the API as JSON.
type Object = map[string]any

// The versions of resource.k8s.io.
const (
	V1      = "v1"
	V1beta1 = "v1beta1"
	V1beta2 = "v1beta2"
)

// API reads and writes objects in a version of the API, in the namespace of a
// spec.
type API struct {
	version string
	env     *env.Env
	client  rest.Interface
}

// Of returns the API in a version: [V1], [V1beta1] or [V1beta2].
func Of(e *env.Env, version string) API {
	client := e.Client.ResourceV1().RESTClient()
	switch version {
	case V1beta1:
		client = e.Client.ResourceV1beta1().RESTClient()
	case V1beta2:
		client = e.Client.ResourceV1beta2().RESTClient()
	}
	return API{version, e, client}
}

// Create creates an object of a kind with a spec, and returns it as the API server
// has stored it.
func (a API) Create(ctx context.Context, kind, name string, spec any) (Object, error) {
	return a.create(ctx, a.client.Post(), kind, name, spec)
}

// DryRunCreate is [API.Create] as a dry run. It returns the object as the API server
// would store it.
func (a API) DryRunCreate(ctx context.Context, kind, name string, spec any) (Object, error) {
	return a.create(ctx, a.client.Post().Param("dryRun", metav1.DryRunAll), kind, name, spec)
}

func (a API) create(ctx context.Context, request *rest.Request, kind, name string, spec any) (Object, error) {
	object := Object{
		"apiVersion": "resource.k8s.io/" + a.version, "kind": kind,
		"metadata": Object{"name": name, "labels": a.env.Labels}, "spec": spec,
	}
	return a.do(ctx, request, "create", kind, name, object)
}

// Get returns an object.
func (a API) Get(ctx context.Context, kind, name string) (Object, error) {
	return a.do(ctx, a.client.Get().Name(name), "get", kind, name, nil)
}

// GenerationOf returns the metadata.generation of an object, which is 0 if it has none.
func GenerationOf(object Object) float64 {
	generation, _ := object["metadata"].(Object)["generation"].(float64)
	return generation
}

// Delete deletes an object, which need not exist.
func (a API) Delete(ctx context.Context, kind, name string) error {
	if _, err := a.do(ctx, a.client.Delete().Name(name), "delete", kind, name, nil); err != nil && !apierrors.IsNotFound(err) {
		return err
	}
	return nil
}

// DryRunUpdateStatus writes the status of a claim as a dry run, and returns the
// claim as the API server would store it.
func (a API) DryRunUpdateStatus(ctx context.Context, name string, status any) (Object, error) {
	return a.DryRunUpdate(ctx, "ResourceClaim", name, "status", func(claim Object) { claim["status"] = status })
}

// DryRunUpdate changes an object, or a subresource of it if that is not empty, as a dry
// run. It returns the object as the API server would store it. Controllers may change
// the object at the same time.
func (a API) DryRunUpdate(ctx context.Context, kind, name, subresource string, change func(Object)) (updated Object, err error) {
	err = retry.RetryOnConflict(retry.DefaultBackoff, func() error {
		updated, err = a.dryRunUpdate(ctx, kind, name, subresource, change)
		return err
	})
	return updated, err
}

func (a API) dryRunUpdate(ctx context.Context, kind, name, subresource string, change func(Object)) (Object, error) {
	object, err := a.Get(ctx, kind, name)
	if err != nil {
		return nil, err
	}
	change(object)
	request, what := a.client.Put().Name(name).Param("dryRun", metav1.DryRunAll), "update"
	if subresource != "" {
		request, what = request.SubResource(subresource), "update the "+subresource+" of"
	}
	return a.do(ctx, request, what, kind, name, object)
}

// do performs a request about an object of a kind. It adds the resource, and the
// object if it is not nil.
func (a API) do(ctx context.Context, request *rest.Request, what, kind, name string, object Object) (Object, error) {
	fail := func(err error) error {
		return fmt.Errorf("%s %s %s in %s: %w", what, kind, name, a.version, err)
	}
	request = request.Resource(resourceOf(kind)).SetHeader("Accept", "application/json")
	if kind == "ResourceClaim" || kind == "ResourceClaimTemplate" {
		request = request.Namespace(a.env.Namespace)
	}
	if object != nil {
		body, err := json.Marshal(object)
		if err != nil {
			return nil, fail(err)
		}
		request = request.Param("fieldValidation", metav1.FieldValidationIgnore).SetHeader("Content-Type", "application/json").Body(body)
	}
	result := request.Do(ctx)
	if err := result.Error(); err != nil {
		return nil, fail(err)
	}
	content, err := result.Raw()
	if err != nil {
		return nil, fail(err)
	}
	var stored Object
	if err := json.Unmarshal(content, &stored); err != nil {
		return nil, fail(err)
	}
	return stored, nil
}

// resourceOf returns the resource of a kind.
func resourceOf(kind string) string {
	if kind == "DeviceClass" {
		return "deviceclasses"
	}
	return strings.ToLower(kind) + "s"
}
