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

// podResources returns what the kubelet's PodResources API returns of the claims of
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
	method, call := "List", listed
	if of.Get {
		method, call = "Get", got
	}
	pod, err := call(ctx, podresourcespb.NewPodResourcesListerClient(connection), of)
	if err != nil {
		return api.PodResources{}, fmt.Errorf("call %s of the PodResources API at %s: %w", method, c.podResourcesSocket(), err)
	}
	if pod == nil {
		return api.PodResources{}, nil
	}
	out := api.PodResources{Listed: true}
	for _, container := range pod.Containers {
		out.Containers = append(out.Containers, api.ContainerResources{Name: container.Name, Claims: claimsOf(container)})
	}
	return out, nil
}

// listed returns the entry of a pod in the list of all pods, or nil.
func listed(ctx context.Context, client podresourcespb.PodResourcesListerClient, of api.PodRequest) (*podresourcespb.PodResources, error) {
	response, err := client.List(ctx, &podresourcespb.ListPodResourcesRequest{}, grpc.MaxCallRecvMsgSize(maxPodResources))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(response.PodResources, func(p *podresourcespb.PodResources) bool {
		return p.Namespace == of.Namespace && p.Name == of.Name
	})
	if i < 0 {
		return nil, nil
	}
	return response.PodResources[i], nil
}

// got returns the answer for one pod. A kubelet answers with an error if it does not know
// the pod.
func got(ctx context.Context, client podresourcespb.PodResourcesListerClient, of api.PodRequest) (*podresourcespb.PodResources, error) {
	response, err := client.Get(ctx, &podresourcespb.GetPodResourcesRequest{PodNamespace: of.Namespace, PodName: of.Name}, grpc.MaxCallRecvMsgSize(maxPodResources))
	return response.GetPodResources(), err
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
