// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// adminAccessInTemplatesNeedsLabel creates templates of claims whose last request has admin
// access, in dry runs, while the label of their namespace changes.
var adminAccessInTemplatesNeedsLabel = suite.Spec{
	ID:           "admin-access-in-templates-needs-label",
	Description:  "The API server accepts templates of claims with admin access only in namespaces with the label resource.kubernetes.io/admin-access and its value true.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Cluster,
	Needs:        adminNeeds,
	Requirements: []string{"5018-label-for-templates"},
	Body: func(ctx context.Context, e *env.Env) {
		claim := withAdminAccessLast()
		expectNeedsLabel(ctx, e, "template", func(ctx context.Context) error { return claims.DryRunCreateTemplate(ctx, e, claim) })
	},
}
