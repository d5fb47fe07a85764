// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
)

// waitUntilReady waits until the driver's pods are ready and their pools are
// complete.
func waitUntilReady(ctx context.Context, client kubernetes.Interface, options Options) error {
	last := errors.New("its pods were not checked yet")
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		reason := ready(ctx, client, options)
		// The reason of a canceled request is less specific than the previous
		// one.
		if ctx.Err() == nil {
			last = reason
		}
		return reason == nil, nil
	})
	if err == nil {
		return nil
	}
	return fmt.Errorf("wait until driver %s is ready: %w: %w%s", options.DriverName, context.Cause(ctx), last, diagnose(ctx, client, options, last))
}

// podsError is a problem with the pods that it concerns.
type podsError struct {
	what string
	pods []corev1.Pod
}

func (e *podsError) Error() string { return e.what }

// ready returns the reason why the driver is not ready, or nil.
func ready(ctx context.Context, client kubernetes.Interface, options Options) error {
	pods, err := options.pods(ctx, client, onNodes)
	if err != nil {
		return err
	}
	if err := daemonSetReady(ctx, client, options, pods); err != nil {
		return err
	}
	switch {
	case options.Classic != "":
		return controllersReady(ctx, client, options)
	case options.Devices.Topology != "":
		return multiHostReady(ctx, client, options)
	}
	stored, err := listSlices(ctx, client, options.DriverName)
	if err != nil {
		return err
	}
	without := slices.DeleteFunc(pods, func(pod corev1.Pod) bool { return haveCompletePool(stored, pod.Spec.NodeName) })
	return problemOf("the pool is not complete", without)
}

// daemonSetReady returns an error while the rollout of the plugin's pods is not
// complete.
func daemonSetReady(ctx context.Context, client kubernetes.Interface, options Options, pods []corev1.Pod) error {
	set, err := client.AppsV1().DaemonSets(options.Namespace).Get(ctx, options.DriverName, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("get DaemonSet %s: %w", options.DriverName, err)
	}
	if set.Status.ObservedGeneration < set.Generation {
		return errors.New("the DaemonSet has not been observed yet")
	}
	desired := set.Status.DesiredNumberScheduled
	if desired == 0 {
		return errors.New("the DaemonSet finds no node to run on, it needs one that is not a control plane node")
	}
	if err := problemOf("the pod is not ready", unready(pods)); err != nil {
		return err
	}
	return settled("DaemonSet", desired, len(pods), set.Status.UpdatedNumberScheduled, set.Status.NumberReady)
}

// settled returns an error while pods are missing, outdated or not ready.
func settled(kind string, desired int32, pods int, updated, ready int32) error {
	if pods == int(desired) && updated == desired && ready == desired {
		return nil
	}
	return fmt.Errorf("the %s wants %d pods and has %d, %d of them up to date and %d ready", kind, desired, pods, updated, ready)
}

// unready returns the pods that are not ready or are being deleted.
func unready(pods []corev1.Pod) []corev1.Pod {
	var out []corev1.Pod
	for _, pod := range pods {
		isReady := slices.ContainsFunc(pod.Status.Conditions, func(condition corev1.PodCondition) bool {
			return condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue
		})
		if !isReady || pod.DeletionTimestamp != nil {
			out = append(out, pod)
		}
	}
	return out
}

// problemOf returns an error about pods that names their nodes. It returns nil
// if there are no pods.
func problemOf(what string, pods []corev1.Pod) error {
	if len(pods) == 0 {
		return nil
	}
	var nodes []string
	for _, pod := range pods {
		nodes = append(nodes, nodeOf(pod))
	}
	slices.Sort(nodes)
	return &podsError{what + " on " + strings.Join(nodes, ", "), pods}
}

func nodeOf(pod corev1.Pod) string { return cmp.Or(pod.Spec.NodeName, "no node yet") }

// Running returns the number of the driver's running pods on a node, including
// pods that are being deleted. It needs list on the driver's pods.
func Running(ctx context.Context, client kubernetes.Interface, options Options, node string) (int, error) {
	options, err := options.complete()
	if err != nil {
		return 0, err
	}
	pods, err := options.pods(ctx, client, onNodes)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, pod := range pods {
		if pod.Spec.NodeName == node && runs(pod) {
			n++
		}
	}
	return n, nil
}
