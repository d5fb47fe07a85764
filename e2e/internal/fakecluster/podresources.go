// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// PodResources returns the claims of a running pod, as the kubelet lists them: with
// the devices that the drivers returned.
func (a Agent) PodResources(_ context.Context, node string, of api.PodRequest) (api.PodResources, error) {
	c := a.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	var listed api.PodResources
	all, err := c.sharedPods()
	for _, pod := range all {
		if pod.Spec.NodeName == node && pod.Namespace == of.Namespace && pod.Name == of.Name && pod.Status.Phase == corev1.PodRunning {
			listed = c.listed(pod)
		}
	}
	change := c.Mistakes.MislistsPods
	if of.Get {
		change = c.Mistakes.MisreturnsPods
	}
	if change != nil {
		change(&listed)
	}
	if of.Get && !listed.Listed {
		return listed, fmt.Errorf("pod %s in namespace %s not found", of.Name, of.Namespace)
	}
	return listed, err
}

func (c *Cluster) listed(pod *corev1.Pod) api.PodResources {
	listed := api.PodResources{Listed: true}
	for _, container := range slices.Concat(c.listedInit(pod), pod.Spec.Containers) {
		one := api.ContainerResources{Name: container.Name}
		for _, used := range container.Resources.Claims {
			for _, u := range c.usesOf(pod) {
				if nameInPod(pod, u) != used.Name || c.Mistakes.ListsFirstUser && c.hasEarlierUser(pod, u) {
					continue
				}
				claim := api.ClaimResources{Namespace: u.claim.Namespace, Name: u.claim.Name}
				isFound := c.Mistakes.RestartListsNothing && c.restarts[component{"kubelet", pod.Spec.NodeName}] > 0
				for _, held := range c.kubelets.stored[u] {
					if isFound {
						break
					}
					claim.Devices = append(claim.Devices, api.DriverDevice{Driver: held.driver, Device: held.Device})
				}
				one.Claims = append(one.Claims, claim)
			}
		}
		listed.Containers = append(listed.Containers, one)
	}
	return listed
}

// hasEarlierUser reports whether a pod with an earlier name uses the same claim.
func (c *Cluster) hasEarlierUser(pod *corev1.Pod, u use) bool {
	all, err := c.sharedPods()
	return err == nil && slices.ContainsFunc(all, func(other *corev1.Pod) bool {
		return other.Name < pod.Name && other.Status.Phase == corev1.PodRunning && slices.Contains(c.usesOf(other), u)
	})
}

// listedInit returns the init containers of a pod that keep running, which are listed like its
// containers.
func (c *Cluster) listedInit(pod *corev1.Pod) []corev1.Container {
	return slices.DeleteFunc(slices.Clone(pod.Spec.InitContainers), func(container corev1.Container) bool {
		return container.RestartPolicy == nil || c.Mistakes.ListsNoSidecars
	})
}
