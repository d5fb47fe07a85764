// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
)

// group is the API group. The clients of newer releases do not have its versions.
const group = "resource.k8s.io"

// Resources of the API, which are also elements of paths.
const (
	claims    = "resourceclaims"
	templates = "resourceclaimtemplates"
	contexts  = "podschedulingcontexts"
	classes   = "deviceclasses"
	published = "resourceslices"
	earlier   = "resourceclasses"
)

// Versions of the API of releases with classic DRA.
const (
	versionOf130 = "v1alpha2"
	versionOf131 = "v1alpha3"
)

// object is an object to write.
type object = map[string]any

// mergePatch is the content type of a JSON merge patch.
const mergePatch = string(types.MergePatchType)

// path returns the path of the objects of a resource in the namespace of the spec, or
// of one object, or of its subresource.
func (c *Cluster) path(resource string, elements ...string) []string {
	base := "/apis/" + c.apiVersion()
	if slices.Contains([]string{classes, published, earlier}, resource) {
		return append([]string{base, resource}, elements...)
	}
	return append([]string{base, "namespaces", c.env.Namespace, resource}, elements...)
}

// apiVersion returns the version of the API: that of Kubernetes 1.31 by default.
func (c *Cluster) apiVersion() string { return group + "/" + cmp.Or(c.version, versionOf131) }

func (c *Cluster) client() rest.Interface { return c.env.Client.CoreV1().RESTClient() }

// do performs a request and decodes the response into an object, unless that is nil.
func (c *Cluster) do(ctx context.Context, request *rest.Request, contentType string, in, out any) error {
	request = request.SetHeader("Accept", "application/json")
	if in != nil {
		body, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode the body of a request: %w", err)
		}
		request = request.SetHeader("Content-Type", contentType).Body(body)
	}
	content, err := request.Do(ctx).Raw()
	if err != nil {
		return statusOf(content, err)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(content, out); err != nil {
		return fmt.Errorf("decode a response: %w", err)
	}
	return nil
}

// statusOf returns the error in the body of a response, which Raw does not decode.
func statusOf(content []byte, err error) error {
	var status metav1.Status
	if json.Unmarshal(content, &status) == nil && status.Kind == "Status" && status.Message != "" {
		return &apierrors.StatusError{ErrStatus: status}
	}
	return err
}

func (c *Cluster) create(ctx context.Context, resource, kind string, metadata, spec object) error {
	return c.createObject(ctx, resource, object{"kind": kind, "metadata": metadata, "spec": spec})
}

func (c *Cluster) createObject(ctx context.Context, resource string, o object) error {
	o["apiVersion"] = c.apiVersion()
	if err := c.do(ctx, c.client().Post().AbsPath(c.path(resource)...), "application/json", o, nil); err != nil {
		return fmt.Errorf("create %s %s: %w", o["kind"], o["metadata"].(object)["name"], err)
	}
	return nil
}

func (c *Cluster) get(ctx context.Context, resource, name string, out any) error {
	return c.do(ctx, c.client().Get().AbsPath(c.path(resource, name)...), "", nil, out)
}

// patch changes an object, or its subresource, by a JSON merge patch.
func (c *Cluster) patch(ctx context.Context, resource string, elements []string, change object) error {
	return c.do(ctx, c.client().Patch(types.MergePatchType).AbsPath(c.path(resource, elements...)...), mergePatch, change, nil)
}

func (c *Cluster) delete(ctx context.Context, resource, name string) error {
	err := c.do(ctx, c.client().Delete().AbsPath(c.path(resource, name)...), "", nil, nil)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
