// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"context"
	"errors"
	"path"

	"google.golang.org/grpc"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"
)

// Intercept is a [grpc.UnaryServerInterceptor] that logs a call and applies the
// next fault for its method. It holds no lock while a call waits, so other
// calls are handled in parallel.
func (r *Recorder) Intercept(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	claims := requested(request)
	seq, fault, release := r.begin(path.Base(info.FullMethod), claims)
	if err := fault.happen(ctx, release); err != nil {
		r.end(seq, claims, err)
		return nil, err
	}
	if fault.Action == FailClaims || fault.Action == OmitClaims {
		response, claims, err := fault.failClaims(ctx, request, claims, handler)
		r.end(seq, claims, err)
		return response, err
	}
	response, err := handler(ctx, request)
	if fault.Action == OmitCDIDevices {
		omitCDIDevices(response)
	}
	if fault.Action == OmitRequests {
		omitRequests(response)
	}
	r.end(seq, answered(claims, response), err)
	if fault.Action == Lose && err == nil {
		return nil, errors.New(fault.Message)
	}
	return response, err
}

// InterceptStream is a [grpc.StreamServerInterceptor] that logs a call.
func (r *Recorder) InterceptStream(server any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	seq, _, _ := r.begin(path.Base(info.FullMethod), nil)
	err := handler(server, stream)
	r.end(seq, nil, err)
	return err
}

// requested returns the claims in a request of any known API version.
func requested(request any) []Claim {
	var claims []Claim
	switch r := request.(type) {
	case *drapb.NodePrepareResourcesRequest:
		claims = claimsOf(r.Claims)
	case *drapb.NodeUnprepareResourcesRequest:
		claims = claimsOf(r.Claims)
	case *drapbv1beta1.NodePrepareResourcesRequest:
		claims = claimsOf(r.Claims)
	case *drapbv1beta1.NodeUnprepareResourcesRequest:
		claims = claimsOf(r.Claims)
	}
	return claims
}

func claimsOf[C interface {
	GetNamespace() string
	GetName() string
	GetUid() string
}](requested []C) []Claim {
	var claims []Claim
	for _, c := range requested {
		claims = append(claims, Claim{Namespace: c.GetNamespace(), Name: c.GetName(), UID: c.GetUid()})
	}
	return claims
}

// answered returns the claims with their results from a response of any known
// API version.
func answered(claims []Claim, response any) []Claim {
	out := make([]Claim, 0, len(claims))
	for _, claim := range claims {
		switch r := response.(type) {
		case *drapb.NodePrepareResourcesResponse:
			claim = prepared(claim, r.GetClaims()[claim.UID].GetError(), r.GetClaims()[claim.UID].GetDevices())
			claim.Shares = shares(r.GetClaims()[claim.UID].GetDevices())
		case *drapb.NodeUnprepareResourcesResponse:
			claim.Error = r.GetClaims()[claim.UID].GetError()
		case *drapbv1beta1.NodePrepareResourcesResponse:
			claim = prepared(claim, r.GetClaims()[claim.UID].GetError(), r.GetClaims()[claim.UID].GetDevices())
		case *drapbv1beta1.NodeUnprepareResourcesResponse:
			claim.Error = r.GetClaims()[claim.UID].GetError()
		}
		out = append(out, claim)
	}
	return out
}

// prepared returns the claim with the driver's result for it.
func prepared[D interface {
	GetDeviceName() string
	GetCdiDeviceIds() []string
}](claim Claim, failed string, devices []D) Claim {
	claim.Error = failed
	for _, d := range devices {
		claim.Devices = append(claim.Devices, d.GetDeviceName())
		claim.CDIDevices = append(claim.CDIDevices, d.GetCdiDeviceIds()...)
	}
	return claim
}

// shares returns the IDs of the shares among devices.
func shares(devices []*drapb.Device) []string {
	var ids []string
	for _, d := range devices {
		if d.GetShareId() != "" {
			ids = append(ids, d.GetShareId())
		}
	}
	return ids
}
