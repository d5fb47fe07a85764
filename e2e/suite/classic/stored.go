// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite/env"
)

// Stored is an object of the API of Kubernetes 1.31, or of an earlier or newer release. Its spec
// has fields that newer releases do not have.
type Stored struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     map[string]any    `json:"spec"`
	// Status is that of a claim. Newer releases have the fields that it has here.
	Status resourceapi.ResourceClaimStatus `json:"status"`
}

// ListClaims returns the claims of the namespace of a spec.
func ListClaims(ctx context.Context, e *env.Env) ([]Stored, error) {
	return list[Stored](ctx, e, claims, e.Namespace)
}

// ListAllClaims returns the claims of all namespaces.
func ListAllClaims(ctx context.Context, e *env.Env) ([]Claim, error) {
	return list[Claim](ctx, e, claims, "")
}

// ListTemplates returns the claim templates of the namespace of a spec.
func ListTemplates(ctx context.Context, e *env.Env) ([]Stored, error) {
	return list[Stored](ctx, e, templates, e.Namespace)
}

// ListClasses returns the DeviceClasses that a spec has created.
func ListClasses(ctx context.Context, e *env.Env) ([]Stored, error) {
	all, err := list[Stored](ctx, e, classes, "")
	return slices.DeleteFunc(all, func(s Stored) bool { return !strings.HasPrefix(s.Metadata.Name, e.UniqueName()+"-") }), err
}

// FindGivenTwice returns which devices several claims have. It reads the claims of all
// namespaces, because the devices belong to the cluster.
func FindGivenTwice(ctx context.Context, e *env.Env) ([]string, error) {
	all, err := list[Stored](ctx, e, claims, "")
	if err != nil {
		return nil, err
	}
	holders := map[string][]string{}
	for _, claim := range all {
		if claim.Status.Allocation == nil {
			continue
		}
		for _, d := range claim.Status.Allocation.Devices.Results {
			device := d.Driver + "/" + d.Pool + "/" + d.Device
			holders[device] = append(holders[device], claim.Metadata.Namespace+"/"+claim.Metadata.Name)
		}
	}
	var twice []string
	for _, device := range slices.Sorted(maps.Keys(holders)) {
		if of := holders[device]; len(of) > 1 {
			twice = append(twice, fmt.Sprintf("device %s is given to claims %s", device, strings.Join(of, " and ")))
		}
	}
	return twice, nil
}

// expectGivenOnce asserts at the end of the spec, before its claims are removed, that no device
// is given to several claims.
func expectGivenOnce(e *env.Env) {
	ginkgo.DeferCleanup(func(ctx ginkgo.SpecContext) {
		twice, err := FindGivenTwice(ctx, e)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(twice).To(gomega.BeEmpty(), "each device should be given to one claim")
	})
}

// versions are those of the API from which objects can be read here. The fields that all of
// them have are the same.
var versions = []string{versionOf131, versionOf130, "v1beta1", "v1"}

// list returns the objects of a resource in a namespace, or in all of them. A journey changes
// the release, so they are read in the first version that the API server serves. There are
// none while it serves none.
func list[T any](ctx context.Context, e *env.Env, resource, namespace string) ([]T, error) {
	for _, version := range versions {
		found, err := listIn[T](ctx, e, version, resource, namespace)
		if !apierrors.IsNotFound(err) {
			return found, err
		}
	}
	return nil, nil
}

func listIn[T any](ctx context.Context, e *env.Env, version, resource, namespace string) ([]T, error) {
	c := &Cluster{env: e, version: version}
	path := []string{"/apis/" + c.apiVersion(), resource}
	if namespace != "" {
		path = c.path(resource)
	}
	var found struct {
		Items []T `json:"items"`
	}
	if err := c.do(ctx, c.client().Get().AbsPath(path...), "", nil, &found); err != nil {
		return nil, fmt.Errorf("list %s: %w", resource, err)
	}
	return found.Items, nil
}
