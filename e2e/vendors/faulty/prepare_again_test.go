// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// Each claim has one device, whose name is that of the namespace.
func TestDevicesOfEarlierClaimsAreReturned(t *testing.T) {
	handler := func(_ context.Context, request any) (any, error) {
		claim := request.(*drapb.NodePrepareResourcesRequest).Claims[0]
		return &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{
			claim.Uid: {Devices: []*drapb.Device{{DeviceName: claim.Namespace}}},
		}}, nil
	}
	for name, test := range map[string]struct {
		fault string
		then  drapb.Claim
		want  string
	}{
		"a namesake":      {"remembers-names", drapb.Claim{Namespace: "b", Name: "claim", Uid: "2"}, "a"},
		"another name":    {"remembers-names", drapb.Claim{Namespace: "b", Name: "other", Uid: "1"}, "b"},
		"the same claim":  {"remembers-allocations", drapb.Claim{Namespace: "b", Name: "claim", Uid: "1"}, "a"},
		"only a namesake": {"remembers-allocations", drapb.Claim{Namespace: "b", Name: "claim", Uid: "2"}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := broken(t, test.fault)
			var device string
			for _, claim := range []*drapb.Claim{{Namespace: "a", Name: "claim", Uid: "1"}, &test.then} {
				got, err := c.calls[0](t.Context(), &drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{claim}}, nil, handler)
				g.Expect(err).NotTo(HaveOccurred())
				device = got.(*drapb.NodePrepareResourcesResponse).Claims[claim.Uid].Devices[0].DeviceName
			}
			g.Expect(device).To(Equal(test.want))
		})
	}
}
