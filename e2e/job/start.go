// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
)

// pollInterval is the interval between two checks while waiting.
const pollInterval = time.Second

// waitForStart waits until the run's container of a Job has started, and returns
// its pod. It fails as soon as a cause for a pending pod has lasted longer than
// it may, and after the timeout.
func (c Client) waitForStart(ctx context.Context, job *batchv1.Job, timeout time.Duration) (*corev1.Pod, error) {
	st := c.Progress.Task("start of job %s/%s", job.Namespace, job.Name)
	var started *corev1.Pod
	began := time.Now()
	var last cause
	since := began
	err := wait.PollUntilContextCancel(ctx, pollInterval, true, func(ctx context.Context) (bool, error) {
		pod, err := c.pod(ctx, job)
		if err != nil {
			return false, err
		}
		if started = pod; pod != nil && stateOf(pod, runContainer) != nil {
			return true, nil
		}
		why, err := c.whyNotStarted(ctx, job, pod)
		if err != nil {
			return false, err
		}
		st.Update("%s", why)
		if why.what != last.what {
			since = time.Now()
		}
		last = why
		if time.Since(since) >= why.patience || time.Since(began) >= timeout {
			return false, why.err(time.Since(began))
		}
		return false, nil
	})
	if err != nil {
		return nil, st.Fail(err)
	}
	st.Done("on node " + started.Spec.NodeName)
	return started, nil
}

func (c Client) whyNotStarted(ctx context.Context, job *batchv1.Job, pod *corev1.Pod) (cause, error) {
	if pod == nil {
		return c.withoutPod(ctx, job)
	}
	return c.pending(ctx, pod)
}

// pod returns the pod of a Job, or nil if it has none. There is only one,
// because failed pods are not replaced.
func (c Client) pod(ctx context.Context, job *batchv1.Job) (*corev1.Pod, error) {
	pods, err := c.Kubernetes.CoreV1().Pods(job.Namespace).List(ctx, metav1.ListOptions{LabelSelector: batchv1.JobNameLabel + "=" + job.Name})
	if err != nil {
		return nil, fmt.Errorf("list the pods of job %s: %w", job.Name, err)
	}
	for i := range pods.Items {
		if metav1.IsControlledBy(&pods.Items[i], job) {
			return &pods.Items[i], nil
		}
	}
	return nil, nil
}

// stateOf returns the state of a container if it has started, or nil.
func stateOf(pod *corev1.Pod, container string) *corev1.ContainerState {
	for i := range pod.Status.ContainerStatuses {
		status := &pod.Status.ContainerStatuses[i]
		if status.Name == container && (status.State.Running != nil || status.State.Terminated != nil) {
			return &status.State
		}
	}
	return nil
}
