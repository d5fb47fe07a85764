// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"errors"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// component is a component that can be restarted. node is empty for components
// of the control plane.
type component struct{ name, node string }

// RestartKubelet restarts the kubelet of a node.
func (c *Cluster) RestartKubelet(_ context.Context, node string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Mistakes.NeverReturns {
		return errors.New("the kubelet does not answer")
	}
	for u := range c.kubelets.attempted {
		switch {
		case u.node != node:
		case c.forgets(u):
			delete(c.kubelets.prepared, u)
			delete(c.kubelets.attempted, u)
			delete(c.kubelets.stored, u)
		default:
			c.kubelets.uncertain[u] = c.kubelets.prepared[u]
		}
	}
	c.restarts[component{"kubelet", node}]++
	if c.Mistakes.RestartEndsPods {
		return c.restartContainers(node, "kubelet")
	}
	return nil
}

// hasUser reports whether a pod uses a claim.
func (c *Cluster) hasUser(u use) bool {
	all, err := c.sharedPods()
	return err == nil && slices.ContainsFunc(all, func(pod *corev1.Pod) bool { return slices.Contains(c.usesOf(pod), u) })
}

// WithoutKubelet restarts the kubelet of a node, which unprepares nothing meanwhile.
func (c *Cluster) WithoutKubelet(ctx context.Context, node string, meanwhile func()) error {
	c.setKubeletDown(node, true)
	defer c.setKubeletDown(node, false)
	meanwhile()
	return c.RestartKubelet(ctx, node)
}

func (c *Cluster) setKubeletDown(node string, isDown bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kubelets.down[node] = isDown
}

// forgets reports whether a restarted kubelet does not know a claim, if that is a fault of it.
func (c *Cluster) forgets(u use) bool {
	m := c.Mistakes
	return m.KubeletForgets || m.KubeletForgetsLater && c.isLaterClaim(u) || m.KubeletForgetsGone && !c.hasUser(u) ||
		m.KubeletStoresPrepared && !c.kubelets.prepared[u] || m.KubeletForgetsUnpreparing && c.kubelets.unpreparing[u]
}

// isLaterClaim reports whether a pod uses a claim that is not its first one.
func (c *Cluster) isLaterClaim(u use) bool {
	all, err := c.sharedPods()
	return err == nil && slices.ContainsFunc(all, func(pod *corev1.Pod) bool { return slices.Index(c.usesOf(pod), u) > 0 })
}

// RestartNode restarts the driver and all containers of a node.
func (c *Cluster) RestartNode(_ context.Context, node string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Mistakes.NeverReturns {
		c.driverOn(node).missing = true
		return nil
	}
	c.restarts[component{"driver", node}]++
	if c.Mistakes.RestartMoves {
		if err := c.moveClaims(); err != nil {
			return err
		}
	}
	return c.restartContainers(node, "node")
}

// RestartScheduler restarts the scheduler.
func (c *Cluster) RestartScheduler(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.Mistakes.NeverReturns {
		return errors.New("no scheduler leads")
	}
	c.restarts[component{name: "scheduler"}]++
	clear(c.scheduler.waiting)
	return nil
}

// Update restarts the driver on all nodes.
func (c *Cluster) Update(ctx context.Context, _ string) error {
	for i := range c.Nodes {
		if err := c.DriverOn(nodeName(i)).Exit(ctx); err != nil {
			return err
		}
	}
	return nil
}

// restartContainers restarts the containers of all running pods of a node.
func (c *Cluster) restartContainers(node, reason string) error {
	all, err := c.pods()
	if err != nil {
		return err
	}
	for _, pod := range all {
		if pod.Spec.NodeName != node || pod.Status.Phase != corev1.PodRunning {
			continue
		}
		status := &pod.Status.ContainerStatuses[0]
		status.ContainerID += "-after-" + reason
		status.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "Error", StartedAt: metav1.Now()}
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
		if err := c.update(pods, pod); err != nil {
			return err
		}
	}
	return nil
}

// moveClaims changes the first device of every allocated claim to the last
// small partition of the GPU.
func (c *Cluster) moveClaims() error {
	all, err := c.claims()
	if err != nil {
		return err
	}
	for _, claim := range all {
		if claim.Status.Allocation == nil {
			continue
		}
		claim.Status.Allocation.Devices.Results[0].Device = "gpu-0-mig-1g-5gb-6"
		if err := c.update(claims, claim); err != nil {
			return err
		}
	}
	return nil
}

// restartCompleted restarts the container of a pod that has completed, again
// and again.
func (c *Cluster) restartCompleted(pod *corev1.Pod) error {
	const action = "restart container of pod"
	if pod.Status.Phase != corev1.PodRunning || len(pod.Spec.Containers) == 0 || !slices.Contains(pod.Spec.Containers[0].Args, "--once") || len(pod.Status.ContainerStatuses) == 0 {
		return nil
	}
	if c.Mistakes.EndRemovesFiles && c.stopped[pod.Spec.NodeName] != nil {
		return nil
	}
	delay := c.Lag
	if c.BacksOff {
		delay = max(delay, 10*time.Second<<max(0, pod.Status.ContainerStatuses[0].RestartCount-1))
	}
	if !c.dueAfter(delay, action, key(pod)) {
		return nil
	}
	delete(c.since, action+" "+key(pod).String())
	pod = pod.DeepCopy()
	pod.Status.ContainerStatuses[0].RestartCount++
	return c.update(pods, pod)
}
