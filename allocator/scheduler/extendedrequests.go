// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	fwk "k8s.io/kube-scheduler/framework"

	"github.com/draconform/draconform/internal/fault"
)

// extendedRequests converts the extended resources of a pod's containers into requests, sorted by name. It also
// returns which container uses which request.
//
// Containers that run for the lifetime of the pod, including sidecars, have requests of their own. An init
// container terminates before later containers start, so it uses the devices of those. If it needs more, all
// init containers share one request for the largest difference.
func extendedRequests(pod *corev1.Pod, resources []string, classes fwk.DeviceClassResolver) ([]resourceapi.DeviceRequest, []corev1.ContainerExtendedResourceRequest, error) {
	containers := slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers)
	var requests []resourceapi.DeviceRequest
	var mappings []corev1.ContainerExtendedResourceRequest
	for _, name := range resources {
		class := classes.GetDeviceClass(corev1.ResourceName(name))
		if class == nil {
			return nil, nil, fmt.Errorf("no device class provides resource %s any more", name)
		}
		r := resourceRequests{resource: corev1.ResourceName(name), class: class.Name, own: make([]*resourceapi.DeviceRequest, len(containers))}
		for i := range containers {
			if i >= len(pod.Spec.InitContainers) || isSidecar(&containers[i]) {
				r.addLongRunning(i, &containers[i])
			}
		}
		for i := range pod.Spec.InitContainers {
			if !isSidecar(&containers[i]) && !fault.IgnoresInitContainers {
				r.addInit(i, &containers[i])
			}
		}
		requests, mappings = append(requests, r.requests()...), append(mappings, r.mappings()...)
	}
	slices.SortFunc(requests, func(a, b resourceapi.DeviceRequest) int { return cmp.Compare(a.Name, b.Name) })
	return requests, mappings, nil
}

func isSidecar(c *corev1.Container) bool {
	return c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways && !fault.TakesSidecarsForInit
}

// resourceRequests are the requests for one resource.
type resourceRequests struct {
	resource corev1.ResourceName
	class    string
	// own are the requests of long-running containers, by the index of the container; nil for the others.
	own  []*resourceapi.DeviceRequest
	uses []use
	// initRequest is the request for what init containers need in addition to that.
	initRequest *resourceapi.DeviceRequest
	// initUses are the uses of init containers. A nil request means initRequest.
	initUses []use
}

type use struct {
	container string
	request   *resourceapi.DeviceRequest
}

func (r *resourceRequests) addLongRunning(i int, c *corev1.Container) {
	count := r.count(c)
	if count == 0 {
		return
	}
	r.own[i] = r.request(i, c, count)
	r.uses = append(r.uses, use{c.Name, r.own[i]})
}

func (r *resourceRequests) addInit(i int, c *corev1.Container) {
	missing := r.count(c)
	for _, later := range r.own[i:] {
		if missing <= 0 {
			return
		}
		if later != nil {
			missing -= later.Exactly.Count
			r.initUses = append(r.initUses, use{c.Name, later})
		}
	}
	if missing <= 0 {
		return
	}
	if r.initRequest == nil || r.initRequest.Exactly.Count < missing {
		r.initRequest = r.request(i, c, missing)
	}
	r.initUses = append(r.initUses, use{c.Name, nil})
}

func (r *resourceRequests) count(c *corev1.Container) int64 {
	quantity := c.Resources.Requests[r.resource]
	count, ok := quantity.AsInt64()
	if !ok {
		return 0
	}
	return count
}

// request returns a request whose name contains the index of the container among all containers and the index of
// the resource among the container's.
func (r *resourceRequests) request(i int, c *corev1.Container, count int64) *resourceapi.DeviceRequest {
	if fault.RequestsOneDevice {
		count = 1
	}
	names := slices.Sorted(maps.Keys(c.Resources.Requests))
	var tolerations []resourceapi.DeviceToleration
	if fault.ExtendedToleratesTaints {
		tolerations = []resourceapi.DeviceToleration{{Operator: resourceapi.DeviceTolerationOpExists}}
	}
	return &resourceapi.DeviceRequest{
		Name: fmt.Sprintf("container-%d-request-%d", i, slices.Index(names, r.resource)),
		Exactly: &resourceapi.ExactDeviceRequest{
			DeviceClassName: r.class,
			AllocationMode:  resourceapi.DeviceAllocationModeExactCount,
			Count:           count,
			Tolerations:     tolerations,
		},
	}
}

func (r *resourceRequests) requests() []resourceapi.DeviceRequest {
	var list []resourceapi.DeviceRequest
	for _, request := range append(slices.Clone(r.own), r.initRequest) {
		if request != nil {
			list = append(list, *request)
		}
	}
	return list
}

func (r *resourceRequests) mappings() []corev1.ContainerExtendedResourceRequest {
	var list []corev1.ContainerExtendedResourceRequest
	for _, u := range slices.Concat(r.uses, r.initUses) {
		if u.request == nil {
			u.request = r.initRequest
		}
		if fault.MapsToFirstRequest && len(r.uses) > 0 {
			u.request = r.uses[0].request
		}
		list = append(list, corev1.ContainerExtendedResourceRequest{
			ContainerName: u.container, ResourceName: string(r.resource), RequestName: u.request.Name,
		})
	}
	return list
}
