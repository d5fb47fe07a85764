// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent

import (
	"context"
	"fmt"
	"slices"
	"time"

	"google.golang.org/grpc"
	podresourcespb "k8s.io/kubelet/pkg/apis/podresources/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

const (
	// podResourcesTimeout limits a call of the PodResources API.
	podResourcesTimeout = 30 * time.Second
	// maxPodResources is the maximum size of its answer in bytes, as for the
	// kubelet's own client.
	maxPodResources = 16 << 20
)

// podResources returns what the kubelet's PodResources API lists of the claims of
// a pod.
func (c Config) podResources(ctx context.Context, of api.PodRequest) (api.PodResources, error) {
	if of.Namespace == "" || of.Name == "" {
		return api.PodResources{}, fmt.Errorf("%w: namespace and name of the pod are required", api.ErrInvalid)
	}
	ctx, cancel := context.WithTimeout(ctx, podResourcesTimeout)
	defer cancel()
	connection, err := dial(c.podResourcesSocket())
	if err != nil {
		return api.PodResources{}, err
	}
	defer func() { _ = connection.Close() }()
	response, err := podresourcespb.NewPodResourcesListerClient(connection).List(ctx, &podresourcespb.ListPodResourcesRequest{}, grpc.MaxCallRecvMsgSize(maxPodResources))
	if err != nil {
		return api.PodResources{}, fmt.Errorf("call List of the PodResources API at %s: %w", c.podResourcesSocket(), err)
	}
	i := slices.IndexFunc(response.PodResources, func(p *podresourcespb.PodResources) bool {
		return p.Namespace == of.Namespace && p.Name == of.Name
	})
	if i < 0 {
		return api.PodResources{}, nil
	}
	out := api.PodResources{Listed: true}
	for _, container := range response.PodResources[i].Containers {
		out.Containers = append(out.Containers, api.ContainerResources{Name: container.Name, Claims: claimsOf(container)})
	}
	return out, nil
}

// claimsOf returns the claims of a container with their devices.
func claimsOf(container *podresourcespb.ContainerResources) []api.ClaimResources {
	var all []api.ClaimResources
	for _, claim := range container.DynamicResources {
		one := api.ClaimResources{Namespace: claim.ClaimNamespace, Name: claim.ClaimName}
		for _, resource := range claim.ClaimResources {
			device := api.Device{Pool: resource.PoolName, Device: resource.DeviceName, ShareID: ptr.Deref(resource.ShareId, "")}
			for _, cdi := range resource.CdiDevices {
				device.CDIDevices = append(device.CDIDevices, cdi.Name)
			}
			one.Devices = append(one.Devices, api.DriverDevice{Driver: resource.DriverName, Device: device})
		}
		all = append(all, one)
	}
	return all
}
