// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package extendedresources has the specs of the profile extended-resources:
// extended resources of containers that the devices of a DeviceClass provide
// (KEP-5004).
package extendedresources

import (
	"embed"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

const profile = "extended-resources"

// data contains DeviceClasses that an API server must accept, reject or change.
//
//go:embed data/*.yaml
var data embed.FS

var (
	extendedFeatures = []features.Feature{features.Core, features.ExtendedResources}
	simulatedNodes   = []env.Need{env.NeedsSimulatedNodes}
)

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	extendedResourceIsProvidedByDevices,
	extendedResourceByClassName,
	extendedResourceHasBothNames,
	extendedResourceWaitsForItsClass,
	extendedResourceEndsWithItsClass,
	extendedResourceWaitsForFreeDevices,
	extendedResourceGoesWithClaims,
	extendedResourceLetsAllocationMove,
	extendedResourceKeepsToTaints,
	extendedResourceClaimBelongsToPod,
	extendedResourceClaimIsMarked,
	extendedResourceClaimIsFreed,
	extendedResourceEvictsPods,
	extendedResourceEndsWithCompletedPod,
	extendedResourceClaimEndsWithFailedBinding,
	extendedResourceFailedBindingFreesDevices,
	extendedResourceClaimOfEarlierAttempt,
	extendedResourceClaimOfReplacedPod,
	extendedResourceHasRequestsPerContainer,
	extendedResourceIsConfiguredByClass,
	extendedResourceServesInitContainers,
	extendedResourceInitContainersShareDevices,
	extendedResourceSidecarsHaveOwnDevices,
	extendedResourceDevicePluginComesFirst,
	extendedResourcePluginWithoutDevices,
	extendedResourceDevicePluginGoes,
	extendedResourceNodesDiffer,
	extendedResourceProvidersAreMixed,
	extendedResourceProvidersDifferByNode,
	extendedResourceNewestClassProvides,
	extendedResourceFirstNameProvides,
	extendedResourceCountsForQuota,
	extendedResourceQuotaCountsOwnClaims,
	extendedResourceContainersSeeDevices,
	extendedResourcesOfOneContainer,
	extendedResourceClaimIsUnprepared,
	extendedResourceInitContainersSeeDevices,
	extendedResourceNamesAreValidated,
	extendedResourceNamesAreDropped,
	extendedResourceStatusIsValidated,
}
