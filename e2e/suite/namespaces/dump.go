// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package namespaces

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// DumpOrLog is dump into the spec's folder for artifacts. It logs an error
// instead of returning it, to the standard error: the standard output of workers has
// their results only.
func DumpOrLog(ctx context.Context, e *env.Env) {
	if err := dump(ctx, e, e.ArtifactsDir); err != nil {
		fmt.Fprintf(os.Stderr, "dump the objects of the spec to %s: %v\n", e.ArtifactsDir, err)
	}
}

// unlessAbsent returns an error unless the API server does not serve the API, as in a
// legacy release.
func unlessAbsent(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// dump writes the state after a failed spec into a folder: the pods and events
// of its namespace, claims and ResourceSlices, and the DeviceClasses and
// nodes that they refer to, as YAML, and the logs of the pods' main containers and
// of drivers that allow it.
func dump(ctx context.Context, e *env.Env, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create the folder of the dump: %w", err)
	}
	all := metav1.ListOptions{}
	podList, podsErr := e.Client.CoreV1().Pods(e.Namespace).List(ctx, e.Selector())
	claims, claimsErr := e.Client.ResourceV1().ResourceClaims("").List(ctx, all)
	events, eventsErr := e.Client.CoreV1().Events(e.Namespace).List(ctx, all)
	offered, offeredErr := e.Client.ResourceV1().ResourceSlices().List(ctx, all)
	classes, classesErr := e.Client.ResourceV1().DeviceClasses().List(ctx, all)
	nodes, nodesErr := e.Client.CoreV1().Nodes().List(ctx, all)
	errs := []error{podsErr, unlessAbsent(claimsErr), eventsErr, unlessAbsent(offeredErr), unlessAbsent(classesErr), nodesErr}
	if claimsErr == nil {
		claims.Items = claimsOf(e, claims.Items)
	}
	if errors.Join(errs...) == nil {
		events.Items = eventsOf(e, events.Items, podList.Items, claims.Items)
		classes.Items = classesOf(e, classes.Items, claims.Items)
		nodes.Items = nodesOf(e, nodes.Items, podList.Items, claims.Items, offered.Items)
	}
	for name, list := range map[string]runtime.Object{
		"pods": podList, "claims": claims, "events": events, "slices": offered, "classes": classes, "nodes": nodes,
	} {
		errs = append(errs, writeList(filepath.Join(dir, name+".yaml"), list))
	}
	errs = append(errs, dumpClassicLogs(e, dir))
	if podsErr == nil {
		errs = append(errs, dumpLogs(ctx, e, dir, podList.Items), dumpDriverLogs(ctx, e, dir, podList.Items))
	}
	return errors.Join(errs...)
}

func dumpLogs(ctx context.Context, e *env.Env, dir string, podList []corev1.Pod) error {
	var errs []error
	for _, pod := range podList {
		log, err := pods.GetLog(ctx, e, pod.Name, pods.MainContainer)
		if err != nil {
			continue // the container may not have started, as the pod's status shows
		}
		errs = append(errs, os.WriteFile(filepath.Join(dir, pod.Name+".log"), log, 0o600))
	}
	return errors.Join(errs...)
}

// claimsOf returns the claims of the spec and those that have devices of its
// drivers. Without a guest, these are all claims.
func claimsOf(e *env.Env, all []resourceapi.ResourceClaim) []resourceapi.ResourceClaim {
	if e.Guest == nil {
		return all
	}
	drivers := e.DriverNames()
	return slices.DeleteFunc(all, func(claim resourceapi.ResourceClaim) bool {
		return !e.Owns(&claim) && !slices.ContainsFunc(audit.Allocated(&claim), func(id audit.DeviceID) bool { return slices.Contains(drivers, id.Driver) })
	})
}

// eventsOf returns the events about the spec's pods and claims. Without a guest,
// these are all events of the namespace.
func eventsOf(e *env.Env, all []corev1.Event, podList []corev1.Pod, claims []resourceapi.ResourceClaim) []corev1.Event {
	if e.Guest == nil {
		return all
	}
	about := map[types.UID]bool{}
	for i := range podList {
		about[podList[i].UID] = true
	}
	for i := range claims {
		about[claims[i].UID] = e.Owns(&claims[i])
	}
	return slices.DeleteFunc(all, func(event corev1.Event) bool { return !about[event.InvolvedObject.UID] })
}

// classesOf returns the classes that the spec created, and those that claims
// name.
func classesOf(e *env.Env, classes []resourceapi.DeviceClass, claims []resourceapi.ResourceClaim) []resourceapi.DeviceClass {
	named := map[string]bool{}
	for _, name := range e.DeviceClasses {
		named[name] = true
	}
	for _, claim := range claims {
		for _, request := range claim.Spec.Devices.Requests {
			if request.Exactly != nil {
				named[request.Exactly.DeviceClassName] = true
			}
			for _, alternative := range request.FirstAvailable {
				named[alternative.DeviceClassName] = true
			}
		}
	}
	return slices.DeleteFunc(classes, func(c resourceapi.DeviceClass) bool { return !named[c.Name] })
}

// nodesOf returns the nodes of the spec's pods, the nodes that its claims are
// allocated for, and the nodes with ResourceSlices of its drivers. It omits
// their lists of images and all other nodes, because a cluster may have
// thousands of nodes.
func nodesOf(e *env.Env, nodes []corev1.Node, podList []corev1.Pod, claims []resourceapi.ResourceClaim, offered []resourceapi.ResourceSlice) []corev1.Node {
	named, drivers := map[string]bool{}, e.DriverNames()
	for _, pod := range podList {
		named[pod.Spec.NodeName] = true
	}
	for _, slice := range offered {
		if slices.Contains(drivers, slice.Spec.Driver) {
			named[ptr.Deref(slice.Spec.NodeName, "")] = true
		}
	}
	allocated := func(node *corev1.Node) bool {
		return slices.ContainsFunc(claims, func(c resourceapi.ResourceClaim) bool {
			return c.Namespace == e.Namespace && c.Status.Allocation != nil && c.Status.Allocation.NodeSelector != nil && audit.Covers(c.Status.Allocation, node)
		})
	}
	var relevant []corev1.Node
	for _, node := range nodes {
		if named[node.Name] || allocated(&node) {
			node.Status.Images = nil
			relevant = append(relevant, node)
		}
	}
	return relevant
}

func writeList(path string, list runtime.Object) error {
	gvks, _, err := scheme.Scheme.ObjectKinds(list)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	list.GetObjectKind().SetGroupVersionKind(gvks[0])
	content, err := yaml.Marshal(list)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return os.WriteFile(path, content, 0o600)
}
