// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package staticpod

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// ErrBackOff is wrapped by the error of Ready while the kubelet delays the restart of a container.
var ErrBackOff = errors.New("CrashLoopBackOff")

// Ready returns an error that states why a pod of the control plane is not ready, or nil if it is ready.
func Ready(pod *corev1.Pod) error {
	for _, c := range pod.Status.ContainerStatuses {
		switch {
		case c.State.Waiting != nil && c.State.Waiting.Reason == ErrBackOff.Error():
			return fmt.Errorf("its container waits: %w: %s", ErrBackOff, c.State.Waiting.Message)
		case c.State.Waiting != nil:
			return fmt.Errorf("its container waits: %s: %s", c.State.Waiting.Reason, c.State.Waiting.Message)
		case c.State.Terminated != nil:
			return fmt.Errorf("its container ended with exit code %d", c.State.Terminated.ExitCode)
		}
	}
	if !slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	}) {
		return errors.New("its pod is not ready")
	}
	return nil
}
