// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/allocator/state"
	"github.com/draconform/draconform/clusters/existing"
)

// addLive adds the objects of a cluster, except those that are already present.
// It only lists objects.
func addLive(ctx context.Context, kubeconfig, context string, objects *state.Objects) error {
	cluster, err := existing.New(kubeconfig, context)
	if err != nil {
		return usageError(err)
	}
	client, err := kubernetes.NewForConfig(cluster.KubernetesRestConfig())
	if err != nil {
		return fmt.Errorf("connect to the cluster %s: %w", cluster.Name(), err)
	}
	return addListed(ctx, client, objects)
}

// addListed lists all kinds before it adds any object.
func addListed(ctx context.Context, client kubernetes.Interface, objects *state.Objects) error {
	api := client.ResourceV1()
	slices, err := api.ResourceSlices().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list ResourceSlices (%s): %w", resourceapi.SchemeGroupVersion, err)
	}
	classes, err := api.DeviceClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list DeviceClasses: %w", err)
	}
	claims, err := api.ResourceClaims(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list ResourceClaims: %w", err)
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list Nodes: %w", err)
	}
	addNew(objects, objects.Slices, slices.Items)
	addNew(objects, objects.Classes, classes.Items)
	addNew(objects, objects.Claims, claims.Items)
	addNew(objects, objects.Nodes, nodes.Items)
	return nil
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

// nameOf returns a name that is unique among objects of a kind.
func nameOf(object metav1.Object) string {
	if claim, ok := object.(*resourceapi.ResourceClaim); ok {
		return claimName(claim)
	}
	return object.GetName()
}
