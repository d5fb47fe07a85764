// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

// hasForeignScheduler reports whether the scheduler of the specs' pods is neither
// kube-scheduler nor the bundled one, or is configured by the user. That of a cluster which
// draconform has not created may be: nothing in the API shows its configuration.
func (p *plan) hasForeignScheduler() bool {
	return p.Provider == Existing && p.KindCluster == "" || p.Scheduler == ExternalScheduler || p.SchedulerName != "" || p.SchedulerBinary != "" || p.SchedulerConfig != ""
}

// externalTimeout bounds the wait for a scheduler that the user starts.
const externalTimeout = 10 * time.Minute

// waitForExternal asks the user to start a scheduler and waits until it schedules a
// pod.
func (c *controlPlaneCluster) waitForExternal(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(c.provider.KubernetesRestConfig())
	if err != nil {
		return err
	}
	c.Progress.Printf("   start your scheduler with the kubeconfig %s", absolute(c.provider.GetKubeconfig()))
	task := c.Progress.Task("wait for a scheduler")
	ctx, cancel := context.WithTimeoutCause(ctx, externalTimeout, fmt.Errorf("timed out after %s", externalTimeout))
	defer cancel()
	if err := scheduleProbe(ctx, client, c.SchedulerName); err != nil {
		return task.Fail(fmt.Errorf("wait until your scheduler schedules a pod: %w", err))
	}
	task.Done("it schedules")
	return nil
}

// scheduleProbe creates a node and a pod, waits until the pod is scheduled, and deletes
// both.
func scheduleProbe(ctx context.Context, client kubernetes.Interface, scheduler string) (err error) {
	const name = "draconform-probe"
	capacity := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1"), corev1.ResourceMemory: resource.MustParse("1Gi"), corev1.ResourcePods: resource.MustParse("1")}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status: corev1.NodeStatus{
			Capacity: capacity, Allocatable: capacity,
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: corev1.PodSpec{
			SchedulerName: scheduler, Containers: []corev1.Container{{Name: "container", Image: "none"}},
			Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
		},
	}
	nodes, pods := client.CoreV1().Nodes(), client.CoreV1().Pods(metav1.NamespaceDefault)
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		for _, deleteErr := range []error{
			pods.Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: ptr.To[int64](0)}), nodes.Delete(ctx, name, metav1.DeleteOptions{}),
		} {
			if deleteErr != nil && !apierrors.IsNotFound(deleteErr) { // It may not have been created.
				err = errors.Join(err, deleteErr)
			}
		}
	}()
	if _, err := nodes.Create(ctx, node, metav1.CreateOptions{}); err != nil {
		return err
	}
	if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	err = wait.PollUntilContextCancel(ctx, 250*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		pod, err := pods.Get(ctx, name, metav1.GetOptions{})
		return err == nil && pod.Spec.NodeName != "", err
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
