// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package node is the kubelet plugin of a classic driver for Kubernetes 1.30: it makes the
// devices visible in containers that the controller has allocated. It learns of them by the
// data of the allocation, which the kubelet passes on, and needs no other access to the
// claim.
package node

import (
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1alpha3"

	"github.com/draconform/draconform/fakedriver/classic/command"
	"github.com/draconform/draconform/fakedriver/classic/containers"
	"github.com/draconform/draconform/fakedriver/classic/v1alpha2/handle"
)

// Plugin implements the kubelet's gRPC API for drivers. It publishes no devices.
type Plugin struct {
	drapb.UnimplementedNodeServer

	// Driver is the name of the driver.
	Driver string
	Specs  *containers.Specs
}

var _ drapb.NodeServer = &Plugin{}

// request is the name of the only request of each claim: those of 1.30 have none.
const request = "device"

// Run runs the plugin until the context ends.
func Run(ctx context.Context, p command.PluginParts) error {
	plugin := &Plugin{Driver: p.Driver, Specs: p.Specs}
	return command.RunPlugin(ctx, p, func(_ context.Context, options ...kubeletplugin.Option) (kubeletplugin.DRAPlugin, error) {
		return kubeletplugin.Start(plugin, options...)
	})
}

// NodePrepareResources implements [drapb.NodeServer]. A claim that cannot be prepared
// does not keep the others from being prepared.
func (p *Plugin) NodePrepareResources(_ context.Context, of *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
	response := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
	for _, claim := range of.Claims {
		devices, err := p.prepare(claim)
		answer := &drapb.NodePrepareResourceResponse{CDIDevices: devices}
		if err != nil {
			answer = &drapb.NodePrepareResourceResponse{Error: fmt.Sprintf("prepare claim %s/%s: %v", claim.Namespace, claim.Name, err)}
		}
		response.Claims[claim.Uid] = answer
	}
	return response, nil
}

// prepare writes the CDI spec of a claim, and returns the names of its CDI devices.
func (p *Plugin) prepare(claim *drapb.Claim) ([]string, error) {
	data, err := handle.Decode(claim.ResourceHandle)
	if err != nil {
		return nil, err
	}
	uid := types.UID(claim.Uid)
	var names []string
	var shown []containers.Device
	for _, device := range data.Devices {
		names = append(names, p.Specs.ID(uid, len(shown)))
		shown = append(shown, containers.Device{
			Driver: p.Driver, Pool: device.Pool, Device: device.Name, Request: request,
			ClaimNamespace: claim.Namespace, ClaimName: claim.Name, ClaimUID: claim.Uid, Configs: configs(data),
		})
	}
	return names, p.Specs.Write(uid, shown)
}

// configs returns the parameters of the class and of the claim, if there are any.
func configs(data handle.Data) []containers.Config {
	var all []containers.Config
	add := func(source string, parameters json.RawMessage) {
		if parameters != nil {
			all = append(all, containers.Config{Source: source, Parameters: parameters})
		}
	}
	add("FromClass", data.Class)
	add("FromClaim", data.Claim)
	return all
}

// NodeUnprepareResources implements [drapb.NodeServer]. It is no error if a claim is not
// prepared.
func (p *Plugin) NodeUnprepareResources(_ context.Context, of *drapb.NodeUnprepareResourcesRequest) (*drapb.NodeUnprepareResourcesResponse, error) {
	response := &drapb.NodeUnprepareResourcesResponse{Claims: map[string]*drapb.NodeUnprepareResourceResponse{}}
	for _, claim := range of.Claims {
		answer := &drapb.NodeUnprepareResourceResponse{}
		if err := p.Specs.Remove(claim.Uid); err != nil {
			answer.Error = fmt.Sprintf("unprepare claim %s/%s: %v", claim.Namespace, claim.Name, err)
		}
		response.Claims[claim.Uid] = answer
	}
	return response, nil
}
