// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"k8s.io/client-go/kubernetes/fake"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

// broken returns a configuration with a fault.
func broken(t *testing.T, fault string) *config {
	t.Helper()
	c := &config{driver: "driver.example.com", node: "node", device: "device-", metadata: true, dataDir: t.TempDir(), client: fake.NewClientset()}
	NewWithT(t).Expect(c.add(fault)).To(Succeed())
	return c
}

// right is the correct handler of calls. It rejects claims that are not
// allocated, deleted or replaced, by their names.
func right(ctx context.Context, request any) (any, error) {
	if ctx.Err() != nil {
		return nil, status.FromContextError(ctx.Err()).Err()
	}
	switch claims := request.(type) {
	case *drapb.NodePrepareResourcesRequest:
		response := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
		for _, claim := range claims.Claims {
			if why, ok := rejected[claim.Name]; ok {
				return nil, fmt.Errorf("get resource claims: %s", why)
			}
			response.Claims[claim.Uid] = prepared(claim.Name)
		}
		return response, nil
	case *drapb.NodeUnprepareResourcesRequest:
		response := &drapb.NodeUnprepareResourcesResponse{Claims: map[string]*drapb.NodeUnprepareResourceResponse{}}
		for _, claim := range claims.Claims {
			response.Claims[claim.Uid] = &drapb.NodeUnprepareResourceResponse{}
		}
		return response, nil
	case *registerapi.InfoRequest:
		return &registerapi.PluginInfo{Name: "driver.example.com", SupportedVersions: []string{"v1.DRAPlugin"}}, nil
	}
	return nil, fmt.Errorf("unexpected request %T", request)
}

// The reasons are those of the library for plugins.
var rejected = map[string]string{
	"unallocated": "claim default/unallocated not allocated", "deleted": "retrieve claim default/deleted: the server could not find the requested resource (get resourceclaims.resource.k8s.io deleted)",
	"replaced": "claim default/replaced got replaced",
}

func prepared(claim string) *drapb.NodePrepareResourceResponse {
	var devices []*drapb.Device
	for _, request := range []string{"a", "b"} {
		devices = append(devices, &drapb.Device{RequestNames: []string{request}, PoolName: "node", DeviceName: claim + "-" + request, CdiDeviceIds: []string{"x=" + claim + request, "y=" + claim + request}})
	}
	return &drapb.NodePrepareResourceResponse{Devices: devices}
}

// call calls the plugin as the kubelet does.
func (c *config) call(ctx context.Context, method string, request any) (any, error) {
	return c.calls[0](ctx, request, &grpc.UnaryServerInfo{FullMethod: method}, right)
}

func claims(names ...string) []*drapb.Claim {
	var all []*drapb.Claim
	for _, name := range names {
		all = append(all, &drapb.Claim{Namespace: "default", Name: name, Uid: "uid-" + name})
	}
	return all
}

func (c *config) prepare(ctx context.Context, names ...string) (map[string]*drapb.NodePrepareResourceResponse, error) {
	response, err := c.call(ctx, "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources", &drapb.NodePrepareResourcesRequest{Claims: claims(names...)})
	if err != nil {
		return nil, err
	}
	return response.(*drapb.NodePrepareResourcesResponse).Claims, nil
}

func TestUnknownFaultIsRejected(t *testing.T) {
	err := (&config{}).add("unheard-of")
	NewWithT(t).Expect(err).To(MatchError(HavePrefix(`there is no fault "unheard-of", use one of answers-only-first-claim, `)))
	NewWithT(t).Expect((&config{}).add("")).To(Succeed())
}
