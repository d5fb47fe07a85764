// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suiterun

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// Changer is a changer for journeys in a fake cluster. Its changes succeed and change
// nothing but what Changes does, if it is set. No component runs that could be killed.
type Changer struct {
	operations.Changer
	Client kubernetes.Interface
	// Of is the state of the cluster, which does not change.
	Of skew.State
	// Changes is called for each change.
	Changes func(context.Context, skew.Want) error
}

// State implements [operations.Changer].
func (c Changer) State(context.Context) (skew.State, error) { return c.Of, nil }

// Change implements [operations.Changer].
func (c Changer) Change(ctx context.Context, want skew.Want) error {
	if c.Changes == nil {
		return nil
	}
	return c.Changes(ctx, want)
}

// Kill implements [operations.Changer].
func (c Changer) Kill(context.Context, skew.Component) error { return nil }

// KillContainer implements [operations.Changer]. The container is replaced immediately, as
// the kubelet does.
func (c Changer) KillContainer(ctx context.Context, _, id string) error {
	all, err := c.Client.CoreV1().Pods(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("list pods: %w", err)
	}
	for _, pod := range all.Items {
		if len(pod.Status.ContainerStatuses) == 0 || pod.Status.ContainerStatuses[0].ContainerID != id {
			continue
		}
		pod.Status.ContainerStatuses[0].ContainerID += "-again"
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
		if _, err = c.Client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, &pod, metav1.UpdateOptions{}); err != nil {
			return fmt.Errorf("update the status of pod %s: %w", pod.Name, err)
		}
	}
	return nil
}
