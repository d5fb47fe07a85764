// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"context"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/allocator/state"
)

// List reads the objects of a cluster. Nodes and DaemonSets that the caller may
// not list are left out. The source describes the cluster.
func List(ctx context.Context, client kubernetes.Interface, source string) (Input, error) {
	in := Input{Source: source, Objects: &state.Objects{}}
	slices, err := client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
	if apierrors.IsNotFound(err) {
		return in, fmt.Errorf("%s does not serve %s: it needs Kubernetes 1.34 or newer, with Dynamic Resource Allocation enabled", source, resourceapi.SchemeGroupVersion)
	}
	if err != nil {
		return in, fmt.Errorf("list ResourceSlices: %w%s", err, missingRight(err))
	}
	classes, err := client.ResourceV1().DeviceClasses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return in, fmt.Errorf("list DeviceClasses: %w%s", err, missingRight(err))
	}
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil && !apierrors.IsForbidden(err) {
		return in, fmt.Errorf("list Nodes: %w", err)
	}
	if err != nil {
		in.NoNodes = "the nodes cannot be listed: " + err.Error()
	}
	sets, err := client.AppsV1().DaemonSets(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil && !apierrors.IsForbidden(err) {
		return in, fmt.Errorf("list DaemonSets: %w", err)
	}
	if err != nil {
		in.NoDaemonSets = "the DaemonSets cannot be listed: " + err.Error()
	}
	for i := range slices.Items {
		in.Objects.Add(&slices.Items[i])
	}
	for i := range classes.Items {
		in.Objects.Add(&classes.Items[i])
	}
	if nodes != nil {
		for i := range nodes.Items {
			in.Objects.Add(&nodes.Items[i])
		}
	}
	if sets != nil {
		for i := range sets.Items {
			in.DaemonSets = append(in.DaemonSets, &sets.Items[i])
		}
	}
	return in, nil
}

// missingRight says what to do about a right that is missing.
func missingRight(err error) string {
	if apierrors.IsForbidden(err) {
		return ": ask for the rights that \"draconform rbac\" prints"
	}
	return ""
}
