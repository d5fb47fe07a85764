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
)

// absentLabel is on nodes that are without a driver. The manifests say so, too.
func absentLabel(driver string) string { return driver + "/absent" }

// Stop takes the driver off a node, by a label of the node, and returns when its
// process has ended: the kubelet, which may take long to remove its pod, gives its
// ResourceSlices half a minute from then on. What it has prepared stays as it is.
// Apart from requests, it needs patch on nodes and list on the driver's pods.
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

// ended reports whether all processes of a pod that is deleted have ended.
func ended(pod corev1.Pod) bool {
	states := pod.Status.ContainerStatuses
	return pod.DeletionTimestamp != nil && len(states) > 0 &&
		!slices.ContainsFunc(states, func(c corev1.ContainerStatus) bool { return c.State.Terminated == nil })
}

// Start lets the driver run on a node again that Stop took it off, and does not
// wait for it. It is no error if it does run.
func Start(ctx context.Context, client kubernetes.Interface, options Options, node string) error {
	options, err := options.complete()
	if err != nil {
		return err
	}
	return markAbsent(ctx, client, options.DriverName, node, false)
}

// RemoveLabels removes the labels by which Stop took a driver off nodes.
func RemoveLabels(ctx context.Context, client kubernetes.Interface, driver string) error {
	nodes, err := client.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: absentLabel(driver)})
	if err != nil {
		return fmt.Errorf("list nodes without driver %s: %w", driver, err)
	}
	var errs []error
	for _, node := range nodes.Items {
		errs = append(errs, markAbsent(ctx, client, driver, node.Name, false))
	}
	return errors.Join(errs...)
}

// markAbsent sets the label of a node, or removes it.
func markAbsent(ctx context.Context, client kubernetes.Interface, driver, node string, absent bool) error {
	labels := map[string]any{absentLabel(driver): nil}
	if absent {
		labels[absentLabel(driver)] = "true"
	}
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": labels}})
	if err == nil {
		_, err = client.CoreV1().Nodes().Patch(ctx, node, types.MergePatchType, patch, metav1.PatchOptions{})
	}
	if err != nil {
		return fmt.Errorf("label node %s with %s: %w", node, absentLabel(driver), err)
	}
	return nil
}
