// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// The needs of specs about claims with admin access, which are in a namespace of
// their own.
var (
	adminFeatures     = []features.Feature{features.Core, features.AdminAccess}
	adminNeeds        = []env.Need{env.NeedsNodeAgent, env.NeedsOwnNamespace}
	adminCapabilities = []subject.Capability{subject.NodeOperations, subject.AdminAccess}
)

// holdForAdmin creates a claim with admin access to the device of another claim,
// which only the spec prepares.
func (d deviceOnNode) holdForAdmin(ctx context.Context, e *env.Env, claim string, user nodeagent.Claim) nodeagent.Claim {
	ginkgo.GinkgoHelper()
	return nodeagent.CreateAdminClaim(ctx, namespaces.CreateForAdmins(ctx, e), d.plugin, claim, e, user)
}
