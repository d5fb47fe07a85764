// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package devicetaints has the specs of the profile device-taints: devices with
// taints, and claims that tolerate them or not (KEP-5055).
package devicetaints

import (
	"embed"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
)

const profile = "device-taints"

// data contains devices with taints, requests that tolerate them or not, and
// objects that an API server must accept, reject or change.
//
//go:embed data/*.yaml
var data embed.FS

// taintFeatures are the features that specs of taints in ResourceSlices need.
var taintFeatures = []features.Feature{features.Core, features.DeviceTaints}

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	taintKeepsNewPodsAway,
	taintNoneKeepsNoPodsAway,
	taintTolerationComparesKeys,
	taintTolerationComparesValues,
	taintTolerationComparesEffects,
	taintsMustAllBeTolerated,
	taintsUpToTheLimit,
	taintTolerationIsOfOneRequest,
	taintToleratedForATimeLetsPodsIn,
	taintOnOneOfAllDevices,
	taintOnOneOfSeveralDevicesKeepsPodsAway,
	taintAddedKeepsNextPodsAway,
	taintKeepsNextSharesAway,
	taintRemovedLetsPodsIn,
	taintTolerationsAreRecorded,
	taintTolerationsOfAlternativeAreRecorded,
	taintEvictsRunningPods,
	taintOnOneOfSeveralDevicesEvicts,
	taintToleratedDoesNotEvict,
	taintNoScheduleDoesNotEvict,
	taintTolerationSecondsDelayEviction,
	taintEvictsAllPodsOfClaim,
	taintSparesUnscheduledPods,
	taintChangedEvictsPods,
	taintWithdrawnCancelsEviction,
	taintEvictsInItsNamespace,
	taintEvictionSparesNextPod,
	taintOfNewestGenerationEvicts,
	taintRuleTaintsSelectedDevice,
	taintRuleSelectsByDriver,
	taintRuleSelectsByPool,
	taintRuleSelectsByDevice,
	taintRuleWithoutCriteria,
	taintRuleAddsToPublishedTaints,
	taintRulesAddUp,
	taintRuleDeletedLetsPodsIn,
	taintRuleChangedCountsAnew,
	taintRuleTaintsLaterDevices,
	taintRulesOutliveSchedulerRestart,
	taintRuleEvictsRunningPods,
	taintRuleChangedEvictsPods,
	taintRuleTellsEvictions,
	taintTimeIsSet,
	taintRuleTimeIsSet,
	taintRuleStatusHasItsOwnEndpoint,
	taintFieldsAreDropped,
	tolerationsAreDropped,
	taintFieldsAreValidated,
	taintRulesAreValidated,
}
