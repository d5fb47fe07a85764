// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"google.golang.org/grpc"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// needsClaims fails to unprepare claims that do not exist any more.
func needsClaims(c *config) error {
	c.intercept(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if claims, ok := request.(*drapb.NodeUnprepareResourcesRequest); ok {
			for _, claim := range claims.Claims {
				if _, err := c.client.ResourceV1().ResourceClaims(claim.Namespace).Get(ctx, claim.Name, metav1.GetOptions{}); err != nil {
					return nil, fmt.Errorf("get claim %s/%s: %w", claim.Namespace, claim.Name, err)
				}
			}
		}
		return next(ctx, request)
	})
	return nil
}

// unpreparesByDevice unprepares, with each claim, those that were prepared last with one of the
// devices that this claim has had.
func unpreparesByDevice(c *config) error {
	var lock sync.Mutex
	devices, users := map[string][]string{}, map[string]*drapb.Claim{}
	c.intercept(func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		lock.Lock()
		defer lock.Unlock()
		switch request := request.(type) {
		case *drapb.NodePrepareResourcesRequest:
			response, err := next(ctx, request)
			if answers, ok := response.(*drapb.NodePrepareResourcesResponse); ok && err == nil {
				for _, claim := range request.Claims {
					for _, device := range answers.Claims[claim.Uid].GetDevices() {
						users[device.DeviceName] = claim
						devices[claim.Uid] = append(devices[claim.Uid], device.DeviceName)
					}
				}
			}
			return response, err
		case *drapb.NodeUnprepareResourcesRequest:
			var others []*drapb.Claim
			for _, claim := range request.Claims {
				for _, device := range devices[claim.Uid] {
					if user := users[device]; user != nil && user.Uid != claim.Uid && !slices.Contains(others, user) {
						others = append(others, user)
					}
				}
			}
			if len(others) > 0 {
				if _, err := next(ctx, &drapb.NodeUnprepareResourcesRequest{Claims: others}); err != nil {
					return nil, err
				}
			}
		}
		return next(ctx, request)
	})
	return nil
}
