// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package calls

import (
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"
)

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

// byUID returns a map with the same answer for the UID of each claim.
func byUID[R any](claims []Claim, answer R) map[string]R {
	answers := map[string]R{}
	for _, claim := range claims {
		answers[claim.UID] = answer
	}
	return answers
}

// failing returns the claims with the message as their error.
func failing(claims []Claim, message string) []Claim {
	var failed []Claim
	for _, claim := range claims {
		claim.Error = message
		failed = append(failed, claim)
	}
	return failed
}
