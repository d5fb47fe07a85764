// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/control"
)

// SetHealth changes the health of devices that the driver reports.
func (d *Driver) SetHealth(_ context.Context, _ string, health control.Health) error {
	d.cluster.mu.Lock()
	defer d.cluster.mu.Unlock()
	d.health = maps.Clone(health)
	return nil
}

// reportHealth writes the health of devices into the status of running pods, as
// kubelets do.
func (c *Cluster) reportHealth() error {
	all, err := c.pods()
	if err != nil {
		return err
	}
	for _, pod := range all {
		if pod.Status.Phase != corev1.PodRunning || len(pod.Status.ContainerStatuses) == 0 || len(pod.Spec.Containers) == 0 || isForSimulatedNodes(pod) {
			continue
		}
		status := &pod.Status.ContainerStatuses[0]
		if c.Mistakes.KeepsHealth && len(status.AllocatedResourcesStatus) > 0 {
			continue
		}
		reported := c.healthOf(pod)
		if change := c.Mistakes.MisstatesHealth; change != nil {
			reported = change(reported)
		}
		if equality.Semantic.DeepEqual(reported, status.AllocatedResourcesStatus) {
			continue
		}
		status.AllocatedResourcesStatus = reported
		if err := c.update(pods, pod); err != nil {
			return err
		}
	}
	return nil
}

// healthOf returns the health of the devices of the claims that the main
// container of a pod uses.
func (c *Cluster) healthOf(pod *corev1.Pod) []corev1.ResourceStatus {
	var all []corev1.ResourceStatus
	for _, use := range pod.Spec.Containers[0].Resources.Claims {
		status := corev1.ResourceStatus{Name: corev1.ResourceName("claim:" + use.Name)}
		for _, u := range c.usesOf(pod) {
			if nameInPod(pod, u) != use.Name {
				continue
			}
			driver := c.driverOn(u.node)
			for _, held := range driver.devices[u.uid] {
				status.Resources = append(status.Resources, corev1.ResourceHealth{ResourceID: held.id(), Health: driver.healthOf(held.Device.Device)})
			}
		}
		if len(status.Resources) > 0 {
			all = append(all, status)
		}
	}
	return all
}

// id returns how a kubelet names a device in the status of pods.
func (h heldDevice) id() corev1.ResourceID {
	if len(h.CDIDevices) > 0 {
		return corev1.ResourceID(h.CDIDevices[0])
	}
	return corev1.ResourceID(h.driver + "/" + h.Pool + "/" + h.Device.Device)
}

// healthOf returns the health of a device as a kubelet reports it.
func (d *Driver) healthOf(device string) corev1.ResourceHealthStatus {
	if d.cluster.WithoutHealth {
		return corev1.ResourceHealthStatusUnknown
	}
	for name, reported := range d.health {
		if reported.Status == kubeletplugin.HealthStatusUnhealthy && (name == device || d.cluster.Mistakes.SpreadsHealth) {
			return corev1.ResourceHealthStatusUnhealthy
		}
	}
	return corev1.ResourceHealthStatusHealthy
}
