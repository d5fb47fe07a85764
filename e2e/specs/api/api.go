// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package api has the specs of the profile api: what an API server stores, refuses
// and converts, who may write the status of claims, and which claims are created
// from templates.
package api

import (
	"embed"

	"github.com/draconform/draconform/e2e/suite"
)

const profile = "api"

// data contains objects with all fields of the API, without those that have defaults, and
// changes of right objects that make them wrong, and device statuses.
//
//go:embed data/*.yaml
var data embed.FS

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	fieldsAreKept,
	v1beta1HasTheSameFields,
	v1beta2HasTheSameFields,
	fieldsHaveDefaults,
	v1beta1HasTheSameDefaults,
	v1beta2HasTheSameDefaults,
	coreObjectsAreValidated,
	podClaimsAreValidated,
	resizeLeavesClaims,
	updatesAreValidated,
	generationCountsChanges,
	claimIsImmutable,
	claimStatusIsValidated,
	allocationIsImmutable,
	deletedClaimIsNotReserved,
	statusHasItsOwnEndpoint,
	slicesAreSelectedByField,
	slicesAreSelectedByPool,
	nodeRightsOnSlices,
	nodeRightsOnClaims,
	nodeWritesAreRestricted,
	deviceStatusIsValidated,
	deviceStatusIsDroppedWithAllocation,
	reservationKeepsTheRest,
	deviceStatusNeedsTheRight,
	deviceStatusPatchNeedsTheRight,
	deviceStatusOfOtherDriversIsRefused,
	deviceStatusOfEachDriverNeedsTheRight,
	deviceStatusOnOtherNodesIsRefused,
	reservationNeedsTheRight,
	generatedClaimsBelongToTheirPod,
	generatedClaimEndsWithWaitingPod,
	generatedClaimOfReplacedPod,
	templateIsImmutable,
	templateReplacedLeavesClaims,
	generatedClaimsOfLongNames,
	templateCreatedLetsPodsIn,
	generatedClaimWaitsForQuota,
	generatedClaimsStayInStatus,
	podStatusKeepsClaims,
}
