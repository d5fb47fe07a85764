// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/grpc"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	"k8s.io/utils/ptr"
)

// prepare prepares the claims of a request.
type prepare func(context.Context, *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error)

// wrongPrepare does so wrongly, with the right function.
type wrongPrepare func(context.Context, *drapb.NodePrepareResourcesRequest, prepare) (*drapb.NodePrepareResourcesResponse, error)

// onPrepare changes calls that prepare claims. Kubelets since 1.34 call the
// newest version of the service.
func onPrepare(wrong wrongPrepare) func(*config) error {
	return onPrepareNew(func() wrongPrepare { return wrong })
}

// onPrepareNew is [onPrepare] for faults that remember earlier calls.
func onPrepareNew(newWrong func() wrongPrepare) func(*config) error {
	return func(c *config) error {
		wrong := newWrong()
		c.intercept(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			claims, ok := request.(*drapb.NodePrepareResourcesRequest)
			if !ok {
				return next(ctx, request)
			}
			return wrong(ctx, claims, func(ctx context.Context, claims *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
				response, err := next(ctx, claims)
				if err != nil {
					return nil, err
				}
				return response.(*drapb.NodePrepareResourcesResponse), nil
			})
		})
		return nil
	}
}

func (c *config) intercept(interceptor grpc.UnaryServerInterceptor) {
	c.calls = append(c.calls, interceptor)
}

// eachClaim changes the devices of each claim.
func eachClaim(change func([]*drapb.Device)) wrongPrepare {
	return func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		response, err := right(ctx, request)
		for _, claim := range response.GetClaims() {
			change(claim.GetDevices())
		}
		return response, err
	}
}

func namesAnotherPool(devices []*drapb.Device) {
	for _, device := range devices {
		device.PoolName = "another"
	}
}

func givesAllDevices(devices []*drapb.Device) {
	var requests []string
	for _, device := range devices {
		requests = append(requests, device.RequestNames...)
	}
	for _, device := range devices {
		device.RequestNames = requests
	}
}

// preparesFirstRequest leaves out the devices of all requests but the first.
func preparesFirstRequest(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
	response, err := right(ctx, request)
	for _, claim := range response.GetClaims() {
		claim.Devices = slices.DeleteFunc(claim.Devices, func(d *drapb.Device) bool { return !slices.Equal(d.RequestNames, claim.Devices[0].RequestNames) })
	}
	return response, err
}

// refusesAdminAccess fails for claims with a device to which they have admin access.
func refusesAdminAccess(c *config) error {
	return onPrepare(func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		for _, of := range request.Claims {
			claim, err := c.client.ResourceV1().ResourceClaims(of.Namespace).Get(ctx, of.Name, metav1.GetOptions{})
			if err != nil || claim.Status.Allocation == nil {
				continue // The driver fails itself.
			}
			if slices.ContainsFunc(claim.Status.Allocation.Devices.Results, func(r resourceapi.DeviceRequestAllocationResult) bool { return ptr.Deref(r.AdminAccess, false) }) {
				return nil, fmt.Errorf("claim %s: admin access is not supported", of.Name)
			}
		}
		return right(ctx, request)
	})(c)
}

func onlyFirst(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
	if len(request.Claims) > 1 {
		request = &drapb.NodePrepareResourcesRequest{Claims: request.Claims[:1]}
	}
	return right(ctx, request)
}

// notFound are parts of the errors about claims that do not exist. The client
// of the driver then also asks for them in the API versions that the API server
// does not serve, and returns the last error.
var notFound = []string{"not found", "the server could not find the requested resource"}

// ignores treats claims that are rejected for one of some reasons as prepared.
func ignores(reasons ...string) wrongPrepare {
	return func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		all := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
		for _, claim := range request.Claims {
			one, err := right(ctx, &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{claim}})
			switch {
			case err == nil:
				maps.Copy(all.Claims, one.Claims)
			case slices.ContainsFunc(reasons, func(reason string) bool { return strings.Contains(err.Error(), reason) }):
				all.Claims[claim.Uid] = &drapb.NodePrepareResourceResponse{}
			default:
				return nil, err
			}
		}
		return all, nil
	}
}

// returnsAllDrivers returns all devices of a claim as those of this driver.
func returnsAllDrivers(c *config) error {
	return onPrepare(func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		response, err := right(ctx, request)
		if err != nil {
			return nil, err
		}
		for _, of := range request.Claims {
			results, err := c.results(ctx, of)
			if err != nil {
				return nil, err
			}
			for _, result := range results {
				if result.Driver == c.driver {
					continue
				}
				response.Claims[of.Uid].Devices = append(response.Claims[of.Uid].Devices, &drapb.Device{
					RequestNames: []string{resourceclaim.BaseRequestRef(result.Request)}, PoolName: result.Pool, DeviceName: result.Device,
				})
			}
		}
		return response, nil
	})(c)
}

// namesSubrequests returns each device under the name of the request in the allocation,
// which has that of the subrequest.
func namesSubrequests(c *config) error {
	return onPrepare(func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		response, err := right(ctx, request)
		if err != nil {
			return nil, err
		}
		for _, of := range request.Claims {
			results, err := c.results(ctx, of)
			if err != nil {
				return nil, err
			}
			for _, device := range response.Claims[of.Uid].GetDevices() {
				i := slices.IndexFunc(results, func(r resourceapi.DeviceRequestAllocationResult) bool {
					return r.Driver == c.driver && r.Pool == device.PoolName && r.Device == device.DeviceName
				})
				if i >= 0 {
					device.RequestNames = []string{results[i].Request}
				}
			}
		}
		return response, nil
	})(c)
}

// results returns the devices that are allocated to a claim.
func (c *config) results(ctx context.Context, of *drapb.Claim) ([]resourceapi.DeviceRequestAllocationResult, error) {
	claim, err := c.client.ResourceV1().ResourceClaims(of.Namespace).Get(ctx, of.Name, metav1.GetOptions{})
	if err != nil {
		return nil, fmt.Errorf("get claim %s/%s: %w", of.Namespace, of.Name, err)
	}
	if claim.Status.Allocation == nil {
		return nil, errors.New("the claim is not allocated")
	}
	return claim.Status.Allocation.Devices.Results, nil
}
