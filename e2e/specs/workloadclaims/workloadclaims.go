// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package workloadclaims has the specs of the profile workload-claims: claims of
// PodGroups, which the pods of the group share (KEP-5729).
package workloadclaims

import (
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

const profile = "workload-claims"

// The needs of specs with claims of PodGroups, and of those in which such claims
// are allocated. PodGroups need a namespace that is not shared with other specs.
var (
	claimFeatures   = []features.Feature{features.Core, features.WorkloadClaims}
	allocateClaims  = []features.Feature{features.Core, features.WorkloadClaims, features.WorkloadClaimScheduling}
	groupsOfTheSpec = []env.Need{env.NeedsSimulatedNodes, env.NeedsOwnNamespace}
)

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	podGroupClaimIsGenerated,
	podGroupClaimIsShared,
	podGroupClaimNeedsSameEntry,
	podGroupUsesNamedClaim,
	podGroupHasSeveralClaims,
	podGroupWaitsForAllDevices,
	podGroupClaimOutlivesPods,
	podGroupClaimEvictsMembers,
	podGroupClaimFollowsPods,
	podGroupClaimHasManyPods,
	podGroupClaimsAreValidated,
	podGroupClaimsDoNotChange,
}
