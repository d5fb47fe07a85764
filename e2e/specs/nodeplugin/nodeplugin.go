// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodeplugin has the specs of the profile node-plugin: how a driver
// serves the calls of the kubelet. A node agent makes these calls, so that the
// specs can judge drivers that offer nothing else.
package nodeplugin

import (
	"github.com/draconform/draconform/e2e/suite"
)

const profile = "node-plugin"

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	pluginRegistersItself,
	offeredServicesAreServed,
	answersNameAllocatedDevices,
	answersNameTheRequest,
	answersOmitOtherDrivers,
	unprepareLeavesOtherDrivers,
	sharesOfARequestArePrepared,
	configurationIsThatOfTheAllocation,
	prepareAgainWhilePodRuns,
	preparedAgainAfterUnprepare,
	reallocatedClaimGetsItsNewDevices,
	replacedClaimGetsItsOwnDevices,
	namesakeInOtherNamespace,
	oneCallPreparesSeveralClaims,
	parallelCallsPrepareEachClaim,
	canceledPrepareIsCompleted,
	unprepareOfUnknownClaim,
	unprepareOfUnpreparedClaim,
	unprepareOfOtherUID,
	unprepareOfDeletedClaim,
	unprepareAgainKeepsNextClaim,
	unprepareKeepsOtherClaims,
	oneCallUnpreparesSeveralClaims,
	preparedClaimsOutliveDriverRestart,
	claimsPreparedAtOnceOutliveDriverRestart,
	unprepareAfterDriverRestart,
	adminAccessIsPrepared,
	adminAccessOutlivesDriverRestart,
	unallocatedClaimIsRejected,
	deletedClaimIsRejected,
	claimOfOtherUIDIsRejected,
	refusedClaimLeavesNothing,
	refusedClaimIsUndoneAfterRestart,
	cdiDevicesHaveFiles,
	noCDIDevicesRemain,
	lostCDIFilesAreRestored,
	unprepareWithoutCDIFiles,
	healthIsOfOfferedDevices,
	multiHostHealthIsOfOfferedDevices,
	deviceStatusKeepsTimes,
	kubeletAndDriverAgree,
	podResourcesListDevices,
	podResourcesListShares,
	podResourcesListSidecars,
	podResourcesGetDevices,
	podResourcesAfterFailedPrepare,
	podResourcesAfterKubeletRestart,
}
