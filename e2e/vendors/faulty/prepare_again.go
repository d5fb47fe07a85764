// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// The faults in this file remember earlier calls.

// together is how long calls are delayed, so that others are in progress at the
// same time.
const together = 200 * time.Millisecond

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

// remembers returns the devices that were first returned for a claim with the same
// key.
func remembers(key func(*drapb.Claim) string) func() wrongPrepare {
	return func() wrongPrepare {
		var lock sync.Mutex
		first := map[string]*drapb.NodePrepareResourceResponse{}
		return func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
			response, err := right(ctx, request)
			lock.Lock()
			defer lock.Unlock()
			for _, claim := range request.Claims {
				got, ok := response.GetClaims()[claim.Uid]
				if !ok {
					continue
				}
				if first[key(claim)] == nil {
					first[key(claim)] = got
				}
				response.Claims[claim.Uid] = first[key(claim)]
			}
			return response, err
		}
	}
}

// remembersRejections fails for claims for which it has failed before.
func remembersRejections() wrongPrepare {
	var lock sync.Mutex
	failed := map[string]error{}
	return func(ctx context.Context, request *drapb.NodePrepareResourcesRequest, right prepare) (*drapb.NodePrepareResourcesResponse, error) {
		lock.Lock()
		defer lock.Unlock()
		all := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
		for _, claim := range request.Claims {
			if err := failed[claim.Uid]; err != nil {
				return nil, fmt.Errorf("it has failed before: %w", err)
			}
			one, err := right(ctx, &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{claim}})
			if err != nil {
				failed[claim.Uid] = err
				return nil, err
			}
			maps.Copy(all.Claims, one.Claims)
		}
		return all, nil
	}
}
