// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package diagnose explains the state of devices in a live cluster to people who debug: why a pod is pending, and which
// devices are free or held. It only reads the cluster.
package diagnose

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/allocator/state"
)

// List adds the slices, classes, claims and nodes of a cluster, except those that are already present by name. Taints of
// DeviceTaintRules are added to the devices of listed slices. All kinds are listed before any object is added. The notes
// state what could not be read and is not needed.
func List(ctx context.Context, client kubernetes.Interface, objects *state.Objects) (notes []string, err error) {
	api := client.ResourceV1()
	slices, err := api.ResourceSlices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, readError("list ResourceSlices", err)
	}
	classes, err := api.DeviceClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, readError("list DeviceClasses", err)
	}
	claims, err := api.ResourceClaims(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, readError("list ResourceClaims", err)
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, readError("list Nodes", err)
	}
	if note := addTaints(ctx, client, slices.Items); note != "" {
		notes = append(notes, note)
	}
	addNew(objects, objects.Slices, slices.Items)
	addNew(objects, objects.Classes, classes.Items)
	addNew(objects, objects.Claims, claims.Items)
	addNew(objects, objects.Nodes, nodes.Items)
	return notes, nil
}

// readError says what a cluster or its administrator has to change, so that the caller can read it.
func readError(attempt string, err error) error {
	switch {
	case apierrors.IsForbidden(err):
		return fmt.Errorf("%s: %w: the rights to get and list pods, nodes, and the kinds of resource.k8s.io in all namespaces are needed", attempt, err)
	case apierrors.IsNotFound(err):
		return fmt.Errorf("%s: the cluster does not serve %s, which needs Kubernetes 1.34 or later with Dynamic Resource Allocation enabled: %w",
			attempt, resourceapi.SchemeGroupVersion, err)
	}
	return fmt.Errorf("%s: %w", attempt, err)
}

// addNew adds the objects whose names are not present yet.
func addNew[T any, P interface {
	*T
	metav1.Object
}](objects *state.Objects, existing []P, listed []T) {
	names := sets.New[string]()
	for _, object := range existing {
		names.Insert(nameOf(object))
	}
	for i := range listed {
		if object := P(&listed[i]); !names.Has(nameOf(object)) {
			objects.Add(object)
		}
	}
}

// nameOf returns a name that is unique among objects of a kind. A claim in a file may omit its namespace.
func nameOf(object metav1.Object) string {
	if claim, ok := object.(*resourceapi.ResourceClaim); ok {
		return ClaimName(claim)
	}
	return object.GetName()
}

// ClaimName returns the namespace and name of a claim. The namespace is default if a file does not set one.
func ClaimName(claim *resourceapi.ResourceClaim) string {
	namespace := claim.Namespace
	if namespace == "" {
		namespace = corev1.NamespaceDefault
	}
	return types.NamespacedName{Namespace: namespace, Name: claim.Name}.String()
}

// some joins the first names of a list, and counts the others.
func some(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
