// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package node is the kubelet plugin of a classic driver for Kubernetes 1.31: it makes the
// devices visible in containers that the controller has allocated.
package node

import (
	"context"
	"errors"
	"fmt"
	"slices"

	resourceapi "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1alpha4"

	"github.com/draconform/draconform/fakedriver/classic/command"
	"github.com/draconform/draconform/fakedriver/classic/containers"
)

// Plugin implements the kubelet's gRPC API for drivers.
type Plugin struct {
	// Driver is the name of the driver, as in the results of allocations.
	Driver string
	Client kubernetes.Interface
	Specs  *containers.Specs
}

var _ drapb.NodeServer = &Plugin{}

// Run runs the plugin until the context ends.
func Run(ctx context.Context, p command.PluginParts) error {
	plugin := &Plugin{Driver: p.Driver, Client: p.Client, Specs: p.Specs}
	return command.RunPlugin(ctx, p, func(ctx context.Context, options ...kubeletplugin.Option) (kubeletplugin.DRAPlugin, error) {
		return kubeletplugin.Start(ctx, plugin, append(options, kubeletplugin.NodeName(p.Node), kubeletplugin.KubeClient(p.Client))...)
	})
}

// NodePrepareResources implements [drapb.NodeServer]. A claim that cannot be prepared
// does not keep the others from being prepared.
func (p *Plugin) NodePrepareResources(ctx context.Context, request *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
	response := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
	for _, claim := range request.Claims {
		devices, err := p.prepare(ctx, claim)
		answer := &drapb.NodePrepareResourceResponse{Devices: devices}
		if err != nil {
			answer = &drapb.NodePrepareResourceResponse{Error: fmt.Sprintf("prepare claim %s/%s: %v", claim.Namespace, claim.Name, err)}
		}
		response.Claims[claim.UID] = answer
	}
	return response, nil
}

// prepare writes the CDI spec of a claim with the devices that are allocated now.
func (p *Plugin) prepare(ctx context.Context, requested *drapb.Claim) ([]*drapb.Device, error) {
	claim, err := p.Client.ResourceV1alpha3().ResourceClaims(requested.Namespace).Get(ctx, requested.Name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	if string(claim.UID) != requested.UID {
		return nil, fmt.Errorf("it was replaced by another one with the UID %s", claim.UID)
	}
	if claim.Status.Allocation == nil {
		return nil, errors.New("it is not allocated")
	}
	var prepared []*drapb.Device
	var shown []containers.Device
	for _, result := range claim.Status.Allocation.Devices.Results {
		if result.Driver != p.Driver {
			continue
		}
		prepared = append(prepared, &drapb.Device{
			RequestNames: []string{result.Request}, PoolName: result.Pool, DeviceName: result.Device,
			CDIDeviceIDs: []string{p.Specs.ID(claim.UID, len(shown))},
		})
		shown = append(shown, containers.Device{
			Driver: result.Driver, Pool: result.Pool, Device: result.Device, Request: result.Request,
			ClaimNamespace: claim.Namespace, ClaimName: claim.Name, ClaimUID: string(claim.UID),
			Configs: p.configs(claim.Status.Allocation.Devices.Config, result.Request),
		})
	}
	return prepared, p.Specs.Write(claim.UID, shown)
}

// configs returns the parameters of the driver that apply to a request.
func (p *Plugin) configs(all []resourceapi.DeviceAllocationConfiguration, request string) []containers.Config {
	var own []containers.Config
	for _, c := range all {
		if c.Opaque == nil || c.Opaque.Driver != p.Driver || !applies(c.Requests, request) {
			continue
		}
		own = append(own, containers.Config{Source: string(c.Source), Parameters: c.Opaque.Parameters.Raw})
	}
	return own
}

// applies reports whether a configuration for some requests, or for all if there are
// none, is for a request.
func applies(requests []string, request string) bool {
	return len(requests) == 0 || slices.Contains(requests, request)
}

// NodeUnprepareResources implements [drapb.NodeServer]. It is no error if a claim is not
// prepared. The claim may no longer exist.
func (p *Plugin) NodeUnprepareResources(_ context.Context, request *drapb.NodeUnprepareResourcesRequest) (*drapb.NodeUnprepareResourcesResponse, error) {
	response := &drapb.NodeUnprepareResourcesResponse{Claims: map[string]*drapb.NodeUnprepareResourceResponse{}}
	for _, claim := range request.Claims {
		answer := &drapb.NodeUnprepareResourceResponse{}
		if err := p.Specs.Remove(claim.UID); err != nil {
			answer.Error = fmt.Sprintf("unprepare claim %s/%s: %v", claim.Namespace, claim.Name, err)
		}
		response.Claims[claim.UID] = answer
	}
	return response, nil
}
