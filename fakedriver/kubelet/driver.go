// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package kubelet

import (
	"context"
	"fmt"
	"maps"

	"google.golang.org/grpc"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// driver is the service of a driver during one call.
type driver struct {
	next    grpc.UnaryServerInterceptor
	info    *grpc.UnaryServerInfo
	handler grpc.UnaryHandler
}

// prepare has the driver prepare claims and returns its answers by UID.
func (d driver) prepare(ctx context.Context, claims []*drapb.Claim) (map[string]*drapb.NodePrepareResourceResponse, error) {
	response, err := d.call(ctx, drapb.DRAPlugin_NodePrepareResources_FullMethodName, &drapb.NodePrepareResourcesRequest{Claims: claims},
		func(ctx context.Context, request any) (any, error) {
			return d.info.Server.(drapb.DRAPluginServer).NodePrepareResources(ctx, request.(*drapb.NodePrepareResourcesRequest))
		})
	if err != nil {
		return nil, err
	}
	return response.(*drapb.NodePrepareResourcesResponse).Claims, nil
}

// prepareEach has the driver prepare claims by one call for each.
func (d driver) prepareEach(ctx context.Context, claims []*drapb.Claim) (map[string]*drapb.NodePrepareResourceResponse, error) {
	all := map[string]*drapb.NodePrepareResourceResponse{}
	for i := range claims {
		answers, err := d.prepare(ctx, claims[i:i+1])
		if err != nil {
			return nil, fmt.Errorf("prepare claim %s alone: %w", claims[i].Name, err)
		}
		maps.Copy(all, answers)
	}
	return all, nil
}

// unprepare has the driver unprepare claims and returns its answers by UID.
func (d driver) unprepare(ctx context.Context, claims []*drapb.Claim) (map[string]*drapb.NodeUnprepareResourceResponse, error) {
	response, err := d.call(ctx, drapb.DRAPlugin_NodeUnprepareResources_FullMethodName, &drapb.NodeUnprepareResourcesRequest{Claims: claims},
		func(ctx context.Context, request any) (any, error) {
			return d.info.Server.(drapb.DRAPluginServer).NodeUnprepareResources(ctx, request.(*drapb.NodeUnprepareResourcesRequest))
		})
	if err != nil {
		return nil, err
	}
	return response.(*drapb.NodeUnprepareResourcesResponse).Claims, nil
}

// call makes a call. other handles it if it is not of the method that the kubelet
// has called.
func (d driver) call(ctx context.Context, method string, request any, other grpc.UnaryHandler) (any, error) {
	if method == d.info.FullMethod {
		return d.next(ctx, request, d.info, d.handler)
	}
	return d.next(ctx, request, &grpc.UnaryServerInfo{Server: d.info.Server, FullMethod: method}, other)
}
