// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// View contains the objects of a cluster. Each field is a consistent state of
// all objects of its kind. It is at least as new as the fields before it,
// because a scheduler or a kubelet writes to a claim or a pod after it has read
// other objects.
type View struct {
	// At is the time at which reading began.
	At         time.Time
	Claims     []resourceapi.ResourceClaim
	Slices     []resourceapi.ResourceSlice
	Classes    []resourceapi.DeviceClass
	Nodes      []corev1.Node
	Namespaces []corev1.Namespace
	Pods       []corev1.Pod
	// TaintRules are the DeviceTaintRules, if the reader lists them.
	TaintRules []resourceapi.DeviceTaintRule
	// Earlier are the states of the claims between the last view and this one,
	// the oldest first. It is empty if they are not known. Claims with devices
	// of drivers that are not audited are left out.
	Earlier [][]*resourceapi.ResourceClaim
	// Offered are the states of the slices in between. Seamless states that all
	// of them are known.
	Offered  [][]*resourceapi.ResourceSlice
	Seamless bool

	// Labelled are the states of the nodes' labels in between, and
	// SeamlessNodes states that all of them are known.
	Labelled      [][]*corev1.Node
	SeamlessNodes bool

	// claimsAt, slicesAt and nodesAt are the resource versions of the lists.
	claimsAt, slicesAt, nodesAt string

	// late, if set, waits for watch events that arrive late, and returns the view with
	// the states that it lacked. Offered and Labelled contain these states only. A view
	// cannot tell whether it lacks any: if a slice was created and deleted since the
	// last view, the slices are again as they were.
	late func(context.Context) View
}

// Read reads a view. It does not use informers, and its lists request the most
// recent state. Otherwise a list could return an older state than one that
// ended before it began.
func Read(ctx context.Context, client kubernetes.Interface) (View, error) {
	return readIn(ctx, client, metav1.NamespaceAll)
}

// readIn is [Read] with only the pods of one namespace, and only this namespace.
func readIn(ctx context.Context, client kubernetes.Interface, namespace string) (View, error) {
	begun, newest := time.Now(), metav1.ListOptions{}
	claims, claimsErr := client.ResourceV1().ResourceClaims("").List(ctx, newest)
	slices, slicesErr := client.ResourceV1().ResourceSlices().List(ctx, newest)
	classes, classesErr := client.ResourceV1().DeviceClasses().List(ctx, newest)
	nodes, nodesErr := client.CoreV1().Nodes().List(ctx, newest)
	namespaces, namespacesErr := listNamespaces(ctx, client, namespace)
	pods, podsErr := client.CoreV1().Pods(namespace).List(ctx, newest)
	if err := errors.Join(claimsErr, slicesErr, classesErr, nodesErr, namespacesErr, podsErr); err != nil {
		return View{}, fmt.Errorf("read the allocations: %w", err)
	}
	return View{
		At: begun, Claims: claims.Items, Slices: slices.Items, Classes: classes.Items, Nodes: nodes.Items, Namespaces: namespaces, Pods: pods.Items,
		claimsAt: claims.ResourceVersion, slicesAt: slices.ResourceVersion, nodesAt: nodes.ResourceVersion,
	}, nil
}

// listNamespaces returns one namespace, or all of them.
func listNamespaces(ctx context.Context, client kubernetes.Interface, name string) ([]corev1.Namespace, error) {
	if name != metav1.NamespaceAll {
		namespace, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		return []corev1.Namespace{*namespace}, nil
	}
	list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}
