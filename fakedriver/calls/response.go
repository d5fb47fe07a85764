// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	"context"
	"maps"
	"slices"

	"google.golang.org/grpc"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"
)

// failClaims has a call handled for those of its claims that the fault does not
// affect, if there are any. It returns the response, which reports an error for the
// others or omits them, and all claims with their results.
func (f Fault) failClaims(ctx context.Context, request any, claims []Claim, handler grpc.UnaryHandler) (any, []Claim, error) {
	var response any
	affected := slices.DeleteFunc(slices.Clone(claims), func(c Claim) bool { return !f.affects(c) })
	if len(affected) < len(claims) {
		var err error
		if response, err = handler(ctx, without(request, affected)); err != nil {
			return nil, claims, err
		}
	}
	results := answered(claims, response)
	for i := range results {
		if f.affects(results[i]) {
			results[i].Error = f.Message
		}
	}
	if f.Action == OmitClaims {
		affected = nil
	}
	return merged(errorResponse(request, affected, f.Message), response), results, nil
}

// without returns a copy of a request of any known API version without some of its
// claims.
func without(request any, claims []Claim) any {
	switch r := request.(type) {
	case *drapb.NodePrepareResourcesRequest:
		return &drapb.NodePrepareResourcesRequest{Claims: others(r.Claims, claims)}
	case *drapb.NodeUnprepareResourcesRequest:
		return &drapb.NodeUnprepareResourcesRequest{Claims: others(r.Claims, claims)}
	case *drapbv1beta1.NodePrepareResourcesRequest:
		return &drapbv1beta1.NodePrepareResourcesRequest{Claims: others(r.Claims, claims)}
	case *drapbv1beta1.NodeUnprepareResourcesRequest:
		return &drapbv1beta1.NodeUnprepareResourcesRequest{Claims: others(r.Claims, claims)}
	}
	return request
}

// others returns the requested claims without some of them.
func others[C interface{ GetUid() string }](requested []C, claims []Claim) []C {
	return slices.DeleteFunc(slices.Clone(requested), func(r C) bool {
		return slices.ContainsFunc(claims, func(c Claim) bool { return c.UID == r.GetUid() })
	})
}

// merged adds the answers of a second response of the same type to the first one. There
// may be no second one.
func merged(response, more any) any {
	switch m := more.(type) {
	case *drapb.NodePrepareResourcesResponse:
		maps.Copy(response.(*drapb.NodePrepareResourcesResponse).Claims, m.Claims)
	case *drapb.NodeUnprepareResourcesResponse:
		maps.Copy(response.(*drapb.NodeUnprepareResourcesResponse).Claims, m.Claims)
	case *drapbv1beta1.NodePrepareResourcesResponse:
		maps.Copy(response.(*drapbv1beta1.NodePrepareResourcesResponse).Claims, m.Claims)
	case *drapbv1beta1.NodeUnprepareResourcesResponse:
		maps.Copy(response.(*drapbv1beta1.NodeUnprepareResourcesResponse).Claims, m.Claims)
	}
	return response
}

// errorResponse returns a response to a request of any known API version. The response
// reports an error for each of the given claims and contains no other claims.
func errorResponse(request any, claims []Claim, message string) any {
	switch request.(type) {
	case *drapb.NodePrepareResourcesRequest:
		return &drapb.NodePrepareResourcesResponse{Claims: byUID(claims, &drapb.NodePrepareResourceResponse{Error: message})}
	case *drapb.NodeUnprepareResourcesRequest:
		return &drapb.NodeUnprepareResourcesResponse{Claims: byUID(claims, &drapb.NodeUnprepareResourceResponse{Error: message})}
	case *drapbv1beta1.NodePrepareResourcesRequest:
		return &drapbv1beta1.NodePrepareResourcesResponse{Claims: byUID(claims, &drapbv1beta1.NodePrepareResourceResponse{Error: message})}
	case *drapbv1beta1.NodeUnprepareResourcesRequest:
		return &drapbv1beta1.NodeUnprepareResourcesResponse{Claims: byUID(claims, &drapbv1beta1.NodeUnprepareResourceResponse{Error: message})}
	}
	return nil
}

// omitCDIDevices removes the CDI devices from a response of any known API version.
func omitCDIDevices(response any) {
	switch r := response.(type) {
	case *drapb.NodePrepareResourcesResponse:
		for _, claim := range r.GetClaims() {
			for _, device := range claim.Devices {
				device.CdiDeviceIds = nil
			}
		}
	case *drapbv1beta1.NodePrepareResourcesResponse:
		for _, claim := range r.GetClaims() {
			for _, device := range claim.Devices {
				device.CdiDeviceIds = nil
			}
		}
	}
}

// omitRequests removes the names of requests from a response to a call to prepare claims.
func omitRequests(response any) {
	switch r := response.(type) {
	case *drapb.NodePrepareResourcesResponse:
		for _, claim := range r.GetClaims() {
			for _, device := range claim.Devices {
				device.RequestNames = nil
			}
		}
	case *drapbv1beta1.NodePrepareResourcesResponse:
		for _, claim := range r.GetClaims() {
			for _, device := range claim.Devices {
				device.RequestNames = nil
			}
		}
	}
}

// byUID returns a map with the same answer for the UID of each claim.
func byUID[R any](claims []Claim, answer R) map[string]R {
	answers := map[string]R{}
	for _, claim := range claims {
		answers[claim.UID] = answer
	}
	return answers
}
