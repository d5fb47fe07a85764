// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

func TestFaultOfADriverThatNeedsClaims(t *testing.T) {
	g := NewWithT(t)
	c := broken(t, "needs-claims-to-unprepare")
	_, err := c.client.ResourceV1().ResourceClaims("default").Create(t.Context(), &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: "one"}}, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = c.call(t.Context(), "", &drapb.NodeUnprepareResourcesRequest{Claims: claims("one")})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = c.call(t.Context(), "", &drapb.NodeUnprepareResourcesRequest{Claims: claims("deleted")})
	g.Expect(err).To(MatchError(ContainSubstring("not found")))
}

func TestFaultOfADriverThatUnpreparesByDevice(t *testing.T) {
	g := NewWithT(t)
	c := broken(t, "unprepares-by-device")
	var unprepared []string
	handle := func(ctx context.Context, request any) (any, error) {
		if request, ok := request.(*drapb.NodeUnprepareResourcesRequest); ok {
			for _, claim := range request.Claims {
				unprepared = append(unprepared, claim.Uid)
			}
		}
		return right(ctx, request)
	}
	next := &drapb.Claim{Namespace: "default", Name: "one", Uid: "uid-next"} // It has the devices of claim one.
	for _, request := range []any{
		&drapb.NodePrepareResourcesRequest{Claims: claims("one")}, &drapb.NodeUnprepareResourcesRequest{Claims: claims("one")},
		&drapb.NodePrepareResourcesRequest{Claims: []*drapb.Claim{next}}, &drapb.NodeUnprepareResourcesRequest{Claims: claims("one")},
	} {
		_, err := c.calls[0](t.Context(), request, nil, handle)
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(unprepared).To(Equal([]string{"uid-one", "uid-next", "uid-one"}))
}
