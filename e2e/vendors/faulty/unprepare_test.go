// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

func TestFaultsOfUnprepare(t *testing.T) {
	g := NewWithT(t)
	c := broken(t, "fails-to-unprepare-unknown-claims")
	_, err := c.prepare(t.Context(), "one")
	g.Expect(err).NotTo(HaveOccurred())
	_, err = c.call(t.Context(), "", &drapb.NodeUnprepareResourcesRequest{Claims: claims("one")})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = c.call(t.Context(), "", &drapb.NodeUnprepareResourcesRequest{Claims: claims("never")})
	g.Expect(err).To(MatchError("claim never is not prepared"))

	var unprepared []*drapb.Claim
	c = broken(t, "unprepares-only-first-claim")
	got, err := c.calls[0](t.Context(), &drapb.NodeUnprepareResourcesRequest{Claims: claims("one", "two")}, nil, func(ctx context.Context, request any) (any, error) {
		unprepared = request.(*drapb.NodeUnprepareResourcesRequest).Claims
		return right(ctx, request)
	})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(unprepared).To(HaveLen(1))
	g.Expect(got.(*drapb.NodeUnprepareResourcesResponse).Claims).To(HaveLen(2))
}
