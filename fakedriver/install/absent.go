// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/fakedriver/topology"
)

// absentLabel returns the label of nodes on which the driver must not run. The
// manifests use the same label.
func absentLabel(driver string) string { return driver + "/absent" }

// Stop removes the driver from a node by labelling the node. It returns when
// the driver's process has ended. The kubelet may take long to remove the pod.
// It keeps the driver's ResourceSlices for 30 seconds after the process has
// ended. Claims that the driver has prepared stay prepared. In addition to the
// permissions for requests, Stop needs patch on nodes and list on the driver's
// pods.
func Stop(ctx context.Context, client kubernetes.Interface, options Options, node string) error {
	options, err := options.complete()
	if err != nil {
		return err
	}
	if err := markAbsent(ctx, client, options.DriverName, node, true); err != nil {
		return err
	}
	var last error
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		pods, err := options.pods(ctx, client, onNodes)
		last = err
		return err == nil && !slices.ContainsFunc(pods, func(p corev1.Pod) bool { return p.Spec.NodeName == node && !ended(p) }), nil
	})
	if err != nil {
		return fmt.Errorf("wait until driver %s is gone from node %s: %w", options.DriverName, node, errors.Join(last, err))
	}
	return nil
}

// ended reports whether a pod is being deleted and all its containers have
// terminated.
func ended(pod corev1.Pod) bool {
	states := pod.Status.ContainerStatuses
	return pod.DeletionTimestamp != nil && len(states) > 0 &&
		!slices.ContainsFunc(states, func(c corev1.ContainerStatus) bool { return c.State.Terminated == nil })
}

// Start allows the driver to run again on a node from which Stop removed it. It
// does not wait for the driver. It is no error if the driver already runs.
func Start(ctx context.Context, client kubernetes.Interface, options Options, node string) error {
	options, err := options.complete()
	if err != nil {
		return err
	}
	return markAbsent(ctx, client, options.DriverName, node, false)
}

// RemoveLabels removes the labels that Stop has set on nodes, and those of nodes that are
// withdrawn from the driver.
func RemoveLabels(ctx context.Context, client kubernetes.Interface, driver string) error {
	var errs []error
	for _, label := range []string{absentLabel(driver), topology.WithdrawnLabel(driver)} {
		nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: label})
		if err != nil {
			return fmt.Errorf("list nodes with the label %s: %w", label, err)
		}
		for _, node := range nodes.Items {
			errs = append(errs, setLabel(ctx, client, node.Name, label, nil))
		}
	}
	return errors.Join(errs...)
}

// markAbsent sets or removes the label of a node without the driver.
func markAbsent(ctx context.Context, client kubernetes.Interface, driver, node string, absent bool) error {
	if absent {
		return setLabel(ctx, client, node, absentLabel(driver), "true")
	}
	return setLabel(ctx, client, node, absentLabel(driver), nil)
}

// setLabel sets a label of a node to a value. The value nil removes it.
func setLabel(ctx context.Context, client kubernetes.Interface, node, label string, value any) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": map[string]any{label: value}}})
	if err == nil {
		_, err = client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
	}
	if err != nil {
		return fmt.Errorf("label node %s with %s: %w", node, label, err)
	}
	return nil
}
