// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package pods

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/workload/report"
)

// imageReasons are the kubelet's reasons for containers that wait because of their
// image or of how they are started. It tries all of them again, but finalReasons in
// vain.
var (
	imageReasons = append([]string{"CreateContainerConfigError", "CreateContainerError", "RunContainerError", "CrashLoopBackOff"}, pullReasons...)
	finalReasons = []string{"InvalidImageName", "ErrImageNeverPull"}
)

// ImageError states why pods do not run because of the image of their container.
type ImageError struct{ Image, Reason string }

func (e *ImageError) Error() string { return "image " + e.Image + ": " + e.Reason }

// Probe starts a pod that uses no devices, waits until its container runs and has
// reported what it sees, and deletes the pod. The error is an [ImageError] if the
// workload image does not run, or is another image. An image that cannot be pulled ends
// the wait, see [pulls]. A pod that does not get as far as its image is no error: specs
// find out why.
func Probe(ctx context.Context, e *env.Env, name string) error {
	if _, err := Create(ctx, e, name, Options{}); err != nil {
		return err
	}
	var problem error
	var attempts pulls
	err := wait.PollUntilContextTimeout(ctx, env.PollInterval, e.Timeouts.PodStart, true, func(ctx context.Context) (bool, error) {
		pod, err := e.Client.CoreV1().Pods(e.Namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			problem = fmt.Errorf("get pod %s: %w", name, err)
			return false, nil // The API server may be unavailable for a while.
		}
		reason, final := whyNoReport(ctx, e, pod)
		problem = nil
		if reason != "" {
			inVain := attempts.failed(time.Now(), pod, eventsOf(ctx, e, pod))
			if inVain != "" {
				reason, final = inVain+": "+reason, true
			}
			problem = &ImageError{pod.Spec.Containers[0].Image, reason}
		}
		return final || problem == nil && isRunning(pod), nil
	})
	if ctx.Err() != nil {
		return errors.Join(err, context.Cause(ctx))
	}
	return errors.Join(problem, remove(ctx, e, name))
}

// whyNoReport returns why the container of a pod has not reported what it sees, if
// that may be due to its image, and whether it never will.
func whyNoReport(ctx context.Context, e *env.Env, pod *corev1.Pod) (reason string, final bool) {
	for _, c := range pod.Status.ContainerStatuses {
		if w := c.State.Waiting; w != nil && slices.Contains(slices.Concat(imageReasons, finalReasons), w.Reason) {
			return whyNotRunning(ctx, e, pod), slices.Contains(finalReasons, w.Reason)
		}
	}
	ended := hasEnded(pod)
	switch {
	case ended, slices.ContainsFunc(pod.Status.ContainerStatuses, func(c corev1.ContainerStatus) bool { return c.State.Terminated != nil }):
		return whyNotRunning(ctx, e, pod), ended
	case !isRunning(pod):
		return "", false
	}
	log, err := GetLog(ctx, e, pod.Name, MainContainer)
	if err == nil {
		_, err = report.Read(log)
	}
	if err != nil {
		return fmt.Sprintf("its container runs, and does not report what it sees: %v", err), false
	}
	return "", false
}

// remove deletes a pod and waits until it is removed, so that it is not in the way
// of specs.
func remove(ctx context.Context, e *env.Env, name string) error {
	if err := e.Client.CoreV1().Pods(e.Namespace).Delete(ctx, name, DeleteOptions(e)); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete pod %s: %w", name, err)
	}
	var left error
	err := wait.PollUntilContextTimeout(ctx, env.PollInterval, e.Timeouts.Deletion, true, func(ctx context.Context) (bool, error) {
		left = CheckDeleted(ctx, e, []string{name})
		return left == nil, nil
	})
	if err != nil {
		return errors.Join(left, err)
	}
	return nil
}
