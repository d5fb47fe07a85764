// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"

	"google.golang.org/grpc"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// failsForUnknown fails to unprepare claims that are not prepared.
func failsForUnknown(c *config) error {
	var lock sync.Mutex
	prepared := map[string]bool{}
	c.intercept(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		lock.Lock()
		defer lock.Unlock()
		switch claims := request.(type) {
		case *drapb.NodePrepareResourcesRequest:
			for _, claim := range claims.Claims {
				prepared[claim.Uid] = true
			}
		case *drapb.NodeUnprepareResourcesRequest:
			for _, claim := range claims.Claims {
				if !prepared[claim.Uid] {
					return nil, fmt.Errorf("claim %s is not prepared", claim.Name)
				}
			}
		}
		return next(ctx, request)
	})
	return nil
}

// unpreparesOnlyFirst unprepares the first claim of a call, and answers as if it
// had unprepared the others.
func unpreparesOnlyFirst(c *config) error {
	c.intercept(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		claims, ok := request.(*drapb.NodeUnprepareResourcesRequest)
		if !ok || len(claims.Claims) < 2 {
			return next(ctx, request)
		}
		got, err := next(ctx, &drapb.NodeUnprepareResourcesRequest{Claims: claims.Claims[:1]})
		if err != nil {
			return nil, err
		}
		response := got.(*drapb.NodeUnprepareResourcesResponse)
		for _, claim := range claims.Claims[1:] {
			response.Claims[claim.Uid] = &drapb.NodeUnprepareResourceResponse{}
		}
		return response, nil
	})
	return nil
}
