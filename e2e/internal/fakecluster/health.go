// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

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
	all, err := c.sharedPods()
	if err != nil {
		return err
	}
	for _, pod := range all {
		if pod.Status.Phase != corev1.PodRunning || len(pod.Status.ContainerStatuses) == 0 || len(pod.Spec.Containers) == 0 || isForSimulatedNodes(pod) {
			continue
		}
		var updated *corev1.Pod
		for i := range pod.Status.ContainerStatuses {
			reported, changed := c.changedHealth(pod, i)
			if !changed {
				continue
			}
			if updated == nil {
				updated = pod.DeepCopy()
			}
			updated.Status.ContainerStatuses[i].AllocatedResourcesStatus = reported
		}
		if updated == nil {
			continue
		}
		if err := c.update(pods, updated); err != nil {
			return err
		}
	}
	return nil
}

// changedHealth returns the health of devices for the status of a container, and whether it
// differs from what the status has.
func (c *Cluster) changedHealth(pod *corev1.Pod, container int) (reported []corev1.ResourceStatus, changed bool) {
	known := pod.Status.ContainerStatuses[container].AllocatedResourcesStatus
	node := pod.Spec.NodeName
	if len(known) > 0 && (c.Mistakes.KeepsHealth || c.Mistakes.WatchesHealthOnce && c.restarts[component{"kubelet", node}]+c.restarts[component{"driver", node}] > 0) {
		return nil, false
	}
	if len(known) > 0 && c.Mistakes.TellsFirstUser && slices.ContainsFunc(c.usesOf(pod), func(u use) bool { return c.hasEarlierUser(pod, u) }) {
		return nil, false
	}
	reported = c.healthOf(pod, &pod.Spec.Containers[container])
	if change := c.Mistakes.MisstatesHealth; change != nil {
		reported = change(reported)
	}
	return reported, !equality.Semantic.DeepEqual(reported, known)
}

// healthOf returns the health of the devices of the claims, or of their requests, that a
// container of a pod uses.
func (c *Cluster) healthOf(pod *corev1.Pod, container *corev1.Container) []corev1.ResourceStatus {
	var all []corev1.ResourceStatus
	for _, used := range container.Resources.Claims {
		status := corev1.ResourceStatus{Name: corev1.ResourceName("claim:" + used.Name)}
		if used.Request != "" {
			status.Name += corev1.ResourceName("/" + used.Request)
		}
		for _, u := range c.usesOf(pod) {
			if nameInPod(pod, u) != used.Name {
				continue
			}
			driver := c.driverOn(u.node)
			for _, held := range driver.devices[u.uid] {
				if used.Request == "" || slices.Contains(held.Requests, used.Request) || c.Mistakes.ReportsHealthOfClaim {
					status.Resources = append(status.Resources, driver.healthOf(held))
				}
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

// heededHealth returns the health that the driver reports of devices that are not healthy.
func (d *Driver) heededHealth() control.Health {
	if !d.cluster.Mistakes.ReportsFirstUnhealthy || len(d.health) == 0 {
		return d.health
	}
	first := slices.Min(slices.Collect(maps.Keys(d.health)))
	return control.Health{first: d.health[first]}
}

// healthOf returns the health of a device as a kubelet reports it.
func (d *Driver) healthOf(held heldDevice) corev1.ResourceHealth {
	health := corev1.ResourceHealth{ResourceID: held.id(), Health: corev1.ResourceHealthStatusHealthy}
	if d.cluster.stopped[d.node] != nil && !d.cluster.Mistakes.KeepsHealthOfAbsent {
		health.Health = corev1.ResourceHealthStatusUnknown
		return health
	}
	if d.cluster.WithoutHealth || !d.reports(held) || d.cluster.Mistakes.ReportsNoShares && held.ShareID != "" {
		health.Health = corev1.ResourceHealthStatusUnknown
		return health
	}
	for name, reported := range d.heededHealth() {
		if name == held.Device.Device || d.cluster.Mistakes.SpreadsHealth {
			health.Health = corev1.ResourceHealthStatus(reported.Status)
			if reported.Message != "" {
				health.Message = ptr.To(shortened(reported.Message))
			}
		}
	}
	return health
}

// reports reports whether the driver reports the health of a device, or did so before and a faulty
// kubelet relies on that: not of one that it has removed.
func (d *Driver) reports(held heldDevice) bool {
	if d.published.Devices.Description == "" || d.cluster.Mistakes.KeepsUnreported {
		return true
	}
	published, err := d.cluster.slices()
	return err == nil && held.isOffered(published)
}

// shortened returns as much of a message about health as the status of a pod can have.
func shortened(message string) string {
	if len(message) <= corev1.ResourceHealthMessageMaxLength {
		return message
	}
	return message[:corev1.ResourceHealthMessageMaxLength-len("...")] + "..."
}
