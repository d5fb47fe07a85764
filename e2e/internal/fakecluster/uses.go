// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/resourceclaim"

	"github.com/draconform/draconform/fakedriver/devenv"
)

// requestedBy returns those of the devices of a claim that a container uses: those of the
// requests of the claim that it names, or all of them if it names the claim only.
func (c *Cluster) requestedBy(pod *corev1.Pod, container string, devices []devenv.Device) []devenv.Device {
	i := slices.IndexFunc(pod.Spec.Containers, func(one corev1.Container) bool { return one.Name == container })
	if i < 0 || c.Mistakes.ShowsAllRequests {
		return devices
	}
	used := pod.Spec.Containers[i].Resources.Claims
	if len(used) == 0 && c.Mistakes.ShowsWithoutClaim {
		return devices
	}
	return slices.DeleteFunc(devices, func(d devenv.Device) bool {
		return !slices.ContainsFunc(c.heeded(used), func(u corev1.ResourceClaim) bool { return c.isOfClaim(pod, u, d) && c.isOfRequest(pod, u, d) })
	})
}

// heeded returns the claims and requests that a container names, as a kubelet reads them.
func (c *Cluster) heeded(used []corev1.ResourceClaim) []corev1.ResourceClaim {
	if !c.Mistakes.UsesLastRequest {
		return used
	}
	var last []corev1.ResourceClaim
	for i, u := range used {
		if !slices.ContainsFunc(used[i+1:], func(later corev1.ResourceClaim) bool { return later.Name == u.Name }) {
			last = append(last, u)
		}
	}
	return last
}

// isOfClaim reports whether a kubelet finds a device in a claim that a container names.
func (c *Cluster) isOfClaim(pod *corev1.Pod, used corev1.ResourceClaim, device devenv.Device) bool {
	all := pod.Spec.ResourceClaims
	i := slices.IndexFunc(all, func(of corev1.PodResourceClaim) bool {
		name, _, err := resourceclaim.Name(pod, &of)
		return err == nil && name != nil && *name == device.ClaimName
	})
	if i < 0 || c.Mistakes.ComparesRequestsOnly {
		return true // A claim of another pod is seen by mistake.
	}
	if c.Mistakes.MixesUpPodClaims {
		i = (i + 1) % len(all)
	}
	return all[i].Name == used.Name
}

// isOfRequest reports whether a kubelet finds a device of a claim in the request of the
// claim that a container names.
func (c *Cluster) isOfRequest(pod *corev1.Pod, used corev1.ResourceClaim, device devenv.Device) bool {
	request, subrequest, _ := strings.Cut(device.Request, "/")
	switch {
	case used.Request == "":
		return true
	case c.isOfAllRequests(pod, device):
		return !c.Mistakes.IgnoresAllRequests
	}
	named := used.Request == request || c.Mistakes.ComparesRequestsByPrefix && strings.HasPrefix(request, used.Request)
	return named && (subrequest == "" || !c.Mistakes.ShowsNoAlternatives)
}

// isOfAllRequests reports whether the driver has returned a device without the names of
// requests.
func (c *Cluster) isOfAllRequests(pod *corev1.Pod, device devenv.Device) bool {
	return slices.ContainsFunc(c.driverOn(pod.Spec.NodeName).devices[types.UID(device.ClaimUID)], func(h heldDevice) bool {
		return h.driver == device.Driver && h.Device.Device == device.Device && len(h.Requests) == 0
	})
}
