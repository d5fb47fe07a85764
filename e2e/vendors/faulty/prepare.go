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
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/resourceclaim"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// together is how long calls are delayed, so that others are in progress at the
// same time.
const together = 200 * time.Millisecond

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

func onlyFirst(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
	if len(request.Claims) > 1 {
		request = &drapb.NodePrepareResourcesRequest{Claims: request.Claims[:1]}
	}
	return right(ctx, request)
}

func failsAgain() wrongPrepare {
	var lock sync.Mutex
	var failed error
	return func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		lock.Lock()
		defer lock.Unlock()
		if failed != nil {
			return nil, fmt.Errorf("an earlier call failed: %w", failed)
		}
		var response *drapb.NodePrepareResourcesResponse
		response, failed = right(ctx, request)
		return response, failed
	}
}

func staysBusy() wrongPrepare {
	var lock sync.Mutex
	busy := false
	return func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		lock.Lock()
		defer lock.Unlock()
		if !busy {
			busy = !wait(ctx)
		}
		if busy {
			return nil, status.Error(codes.Aborted, "another operation is in progress")
		}
		return right(ctx, request)
	}
}

// wait reports whether a call is not canceled for a while.
func wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(together):
		return true
	}
}

// mixesUp answers calls that are in progress at the same time with the devices of
// the one that ends first.
func mixesUp() wrongPrepare {
	var lock sync.Mutex
	calls := 0
	var first *drapb.NodePrepareResourceResponse
	return func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		lock.Lock()
		if calls++; calls == 1 {
			first = nil
		}
		lock.Unlock()
		wait(ctx)
		response, err := right(ctx, request)
		lock.Lock()
		defer lock.Unlock()
		calls--
		ended := first
		for uid, claim := range response.GetClaims() {
			if ended != nil {
				response.Claims[uid] = ended
			} else {
				first = claim
			}
		}
		return response, err
	}
}

// ignores treats claims that are rejected for a reason as prepared.
func ignores(reason string) wrongPrepare {
	return func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		all := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
		for _, claim := range request.Claims {
			one, err := right(ctx, &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{claim}})
			switch {
			case err == nil:
				maps.Copy(all.Claims, one.Claims)
			case strings.Contains(err.Error(), reason):
				all.Claims[claim.Uid] = &drapb.NodePrepareResourceResponse{}
			default:
				return nil, err
			}
		}
		return all, nil
	}
}

// returnsOthersAgain returns fewer CDI devices each second time that a claim is
// prepared.
func returnsOthersAgain() wrongPrepare {
	var lock sync.Mutex
	fewer := map[string]bool{}
	return func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		response, err := right(ctx, request)
		lock.Lock()
		defer lock.Unlock()
		for uid, claim := range response.GetClaims() {
			for _, device := range claim.Devices {
				if fewer[uid] {
					device.CdiDeviceIds = device.CdiDeviceIds[1:]
				}
			}
			fewer[uid] = !fewer[uid]
		}
		return response, err
	}
}

// showsOthers returns the CDI devices of all claims that were prepared before,
// too.
func showsOthers() wrongPrepare {
	var lock sync.Mutex
	var seen []string
	return func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		response, err := right(ctx, request)
		lock.Lock()
		defer lock.Unlock()
		for _, claim := range response.GetClaims() {
			for _, device := range claim.Devices {
				seen = append(seen, device.CdiDeviceIds...)
				slices.Sort(seen)
				seen = slices.Compact(seen)
				device.CdiDeviceIds = slices.Clone(seen)
			}
		}
		return response, err
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
			claim, err := c.client.ResourceV1().ResourceClaims(of.Namespace).Get(ctx, of.Name, metav1.GetOptions{})
			if err != nil {
				return nil, fmt.Errorf("get claim %s/%s: %w", of.Namespace, of.Name, err)
			}
			if claim.Status.Allocation == nil {
				return nil, errors.New("the claim is not allocated")
			}
			for _, result := range claim.Status.Allocation.Devices.Results {
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
