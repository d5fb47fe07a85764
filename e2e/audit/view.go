// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
)

// View contains the objects of a cluster. Each field is a consistent state of
// all objects of its kind, or of those that its reader is limited to. It is at least as new as the fields before it,
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
	// Classic is set in a view of a cluster with classic DRA.
	Classic *Classic
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
	return scope{}.read(ctx, client)
}

// scope limits a view. Lists of the whole cluster cost the API server and the reader
// time for the objects of all other specs that run at the same time.
type scope struct {
	// namespace, if set, is the only namespace that is read.
	namespace string
	// podsOf are the namespaces that are read with their pods, as far as they exist.
	// Without any, it is namespace.
	podsOf []string
	// drivers are the drivers whose slices are read. Without any, all are.
	drivers []string
}

func (s scope) read(ctx context.Context, client kubernetes.Interface) (View, error) {
	begun, newest := time.Now(), metav1.ListOptions{}
	claims, claimsErr := client.ResourceV1().ResourceClaims("").List(ctx, newest)
	offered, slicesErr := listSlices(ctx, client, s.drivers)
	classes, classesErr := client.ResourceV1().DeviceClasses().List(ctx, newest)
	nodes, nodesErr := client.CoreV1().Nodes().List(ctx, newest)
	namespaces, namespacesErr := s.listNamespaces(ctx, client)
	pods, podsErr := s.listPods(ctx, client)
	if err := errors.Join(claimsErr, slicesErr, classesErr, nodesErr, namespacesErr, podsErr); err != nil {
		return View{}, fmt.Errorf("read the allocations: %w", err)
	}
	return View{
		At: begun, Claims: claims.Items, Slices: offered.Items, Classes: classes.Items, Nodes: nodes.Items, Namespaces: namespaces, Pods: pods,
		claimsAt: claims.ResourceVersion, slicesAt: offered.ResourceVersion, nodesAt: nodes.ResourceVersion,
	}, nil
}

// listSlices returns the slices of drivers, or of all drivers without any, in one state
// of all of them: each list after the first one asks for the state of the first. If an
// API server does not have that state any more, the slices of all drivers are listed.
func listSlices(ctx context.Context, client kubernetes.Interface, drivers []string) (*resourceapi.ResourceSliceList, error) {
	var all *resourceapi.ResourceSliceList
	for _, driver := range drivers {
		options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(resourceapi.ResourceSliceSelectorDriver, driver).String()}
		if all != nil && all.ResourceVersion != "" {
			options.ResourceVersion, options.ResourceVersionMatch = all.ResourceVersion, metav1.ResourceVersionMatchExact
		}
		list, err := client.ResourceV1().ResourceSlices().List(ctx, options)
		switch {
		case apierrors.IsResourceExpired(err) || apierrors.IsGone(err):
			return client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
		case err != nil:
			return nil, err
		}
		// Fake clients ignore the selector.
		list.Items = slices.DeleteFunc(list.Items, func(s resourceapi.ResourceSlice) bool { return s.Spec.Driver != driver })
		if all == nil {
			all = list
			continue
		}
		all.Items = append(all.Items, list.Items...)
	}
	if all != nil {
		return all, nil
	}
	return client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
}

// namespaces returns the names of the namespaces of the scope, or that of all.
func (s scope) namespaces() []string {
	if len(s.podsOf) > 0 {
		return s.podsOf
	}
	return []string{s.namespace}
}

// listPods returns the pods of the namespaces of the scope. A pod need not be in the same
// state as those of other namespaces.
func (s scope) listPods(ctx context.Context, client kubernetes.Interface) ([]corev1.Pod, error) {
	var all []corev1.Pod
	for _, namespace := range s.namespaces() {
		list, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		all = append(all, list.Items...)
	}
	return all, nil
}

// listNamespaces returns the namespaces of the scope. A run has one or two for each spec,
// and keeps them while others run.
func (s scope) listNamespaces(ctx context.Context, client kubernetes.Interface) ([]corev1.Namespace, error) {
	if len(s.podsOf) == 0 && s.namespace == metav1.NamespaceAll {
		list, err := client.CoreV1().Namespaces().List(ctx, metav1.ListOptions{})
		if err != nil {
			return nil, err
		}
		return list.Items, nil
	}
	var all []corev1.Namespace
	for _, name := range s.namespaces() {
		namespace, err := client.CoreV1().Namespaces().Get(ctx, name, metav1.GetOptions{})
		switch {
		case err == nil:
			all = append(all, *namespace)
		case name == s.namespace || !apierrors.IsNotFound(err):
			return nil, err
		}
	}
	return all, nil
}
