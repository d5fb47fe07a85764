package install

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// waitUntilReady returns when the driver's pods are ready on all their nodes
// and all these nodes have complete pools.
func waitUntilReady(ctx context.Context, client kubernetes.Interface, options Options) error {
	last := errors.New("nothing was seen of it yet")
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		reason := ready(ctx, client, options)
		// A request that was cut off says less than what was seen before.
		if ctx.Err() == nil {
			last = reason
		}
		return reason == nil, nil
	})
	if err == nil {
		return nil
	}
	failure := fmt.Errorf("wait until driver %s is ready: %w: %w", options.DriverName, context.Cause(ctx), last)
	if missing, ok := errors.AsType[*missingError](last); ok {
		return fmt.Errorf("%w%s", failure, diagnose(ctx, client, options, missing.nodes))
	}
	return failure
}

// missingError says that something is missing on some nodes.
type missingError struct {
	what  string
	nodes []string
}

func (e *missingError) Error() string {
	return fmt.Sprintf("%s on %s", e.what, strings.Join(e.nodes, ", "))
}

// ready returns why the driver is not ready, or nil.
func ready(ctx context.Context, client kubernetes.Interface, options Options) error {
	set, err := client.AppsV1().DaemonSets(options.Namespace).Get(ctx, options.DriverName, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get DaemonSet %s: %w", options.DriverName, err)
	}
	if set.Status.ObservedGeneration < set.Generation {
		return errors.New("the DaemonSet was not processed yet")
	}
	if set.Status.DesiredNumberScheduled == 0 {
		return errors.New("the DaemonSet finds no node to run on, it needs one that is no control plane")
	}
	pods, err := options.pods(ctx, client)
	if err != nil {
		return err
	}
	if nodes := unreadyNodes(pods); len(nodes) > 0 {
		return &missingError{"the pod is not ready", nodes}
	}
	if err := settled(set, len(pods)); err != nil {
		return err
	}
	stored, err := listSlices(ctx, client, options.DriverName)
	if err != nil {
		return err
	}
	if nodes := nodesWithoutPool(pods, stored); len(nodes) > 0 {
		return &missingError{"the pool is not complete", nodes}
	}
	return nil
}

// settled returns an error while pods are missing or get replaced.
func settled(set *appsv1.DaemonSet, pods int) error {
	desired := int(set.Status.DesiredNumberScheduled)
	if pods != desired || int(set.Status.UpdatedNumberScheduled) != desired || int(set.Status.NumberReady) != desired {
		return fmt.Errorf("the DaemonSet wants %d pods and has %d, %d of them up to date and %d ready",
			desired, pods, set.Status.UpdatedNumberScheduled, set.Status.NumberReady)
	}
	return nil
}

// unreadyNodes returns the nodes whose pod is not ready, sorted.
func unreadyNodes(pods []corev1.Pod) []string {
	var nodes []string
	for _, pod := range pods {
		isReady := slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
			return condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue
		})
		if !isReady || pod.DeletionTimestamp != nil {
			nodes = append(nodes, pod.Spec.NodeName)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// nodesWithoutPool returns the nodes of pods that have not published all slices
// of their pool, sorted.
func nodesWithoutPool(pods []corev1.Pod, stored []resourceapi.ResourceSlice) []string {
	var nodes []string
	for _, pod := range pods {
		if !complete(stored, pod.Spec.NodeName) {
			nodes = append(nodes, pod.Spec.NodeName)
		}
	}
	slices.Sort(nodes)
	return nodes
}

// complete tells whether all slices of a pool's latest generation are there.
func complete(stored []resourceapi.ResourceSlice, pool string) bool {
	var latest, count, expected int64
	for _, slice := range stored {
		switch p := slice.Spec.Pool; {
		case p.Name != pool || p.Generation < latest:
			continue
		case p.Generation > latest:
			latest, count = p.Generation, 0
		}
		count++
		expected = slice.Spec.Pool.ResourceSliceCount
	}
	return count > 0 && count == expected
}
