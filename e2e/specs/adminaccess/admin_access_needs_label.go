// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// adminAccessNeedsLabel creates claims whose last request has admin access, in dry runs,
// while the label of their namespace changes.
var adminAccessNeedsLabel = suite.Spec{
	ID:           "admin-access-needs-label",
	Description:  "The API server accepts claims with admin access only in namespaces with the label resource.kubernetes.io/admin-access and its value true.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Cluster,
	Needs:        adminNeeds,
	Requirements: []string{"5018-label-for-claims", "5018-value-of-label"},
	Body: func(ctx context.Context, e *env.Env) {
		claim := withAdminAccessLast()
		expectNeedsLabel(ctx, e, "claim", func(ctx context.Context) error { return claims.DryRunCreate(ctx, e, claim) })
	},
}

// anyDevice is a request that is not allocated, so its class need not exist.
var anyDevice = []devices.Request{{Name: "device", Device: subject.Device{Class: "any"}}}

// withAdminAccessLast returns a claim of which only the last one of two requests has admin
// access.
func withAdminAccessLast() resourceapi.DeviceClaim {
	claim := devices.NewDeviceClaim([]devices.Request{{Name: "ordinary", Device: anyDevice[0].Device}, anyDevice[0]})
	claim.Requests[1].Exactly.AdminAccess = ptr.To(true)
	return claim
}
