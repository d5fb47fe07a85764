// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
)

// faults has what each fault changes. hack/mutants/foreign.yaml describes them
// and names the specs that must find them.
var faults = map[string]func(*config) error{
	// Calls that prepare claims.
	"answers-only-first-claim":        onPrepare(onlyFirst),
	"fails-again-after-failure":       onPrepareNew(failsAgain),
	"stays-busy-after-cancel":         onPrepareNew(staysBusy),
	"mixes-up-parallel-calls":         onPrepareNew(mixesUp),
	"prepares-unallocated-claims":     onPrepare(ignores("not allocated")),
	"prepares-deleted-claims":         onPrepare(ignores(notFound...)),
	"prepares-claims-of-other-uids":   onPrepare(ignores("got replaced")),
	"returns-other-devices-again":     onPrepareNew(returnsOthersAgain),
	"returns-devices-of-all-drivers":  returnsAllDrivers,
	"names-another-pool":              onPrepare(eachClaim(namesAnotherPool)),
	"names-subrequests":               namesSubrequests,
	"gives-each-request-all-devices":  onPrepare(eachClaim(givesAllDevices)),
	"shows-devices-of-other-claims":   onPrepareNew(showsOthers),
	"rejects-calls-of-older-services": rejectsOlderServices,
	"prepares-first-request-only":     onPrepare(preparesFirstRequest),
	"refuses-admin-access":            refusesAdminAccess,
	"remembers-names":                 onPrepareNew(remembers((*drapb.Claim).GetName)),
	"remembers-allocations":           onPrepareNew(remembers((*drapb.Claim).GetUid)),
	"remembers-rejections":            onPrepareNew(remembersRejections),

	// Calls that unprepare claims.
	"fails-to-unprepare-unknown-claims": failsForUnknown,
	"unprepares-only-first-claim":       unpreparesOnlyFirst,
	"needs-claims-to-unprepare":         needsClaims,
	"unprepares-by-device":              unpreparesByDevice,

	// CDI files and containers.
	"leaves-cdi-files":         leavesFiles,
	"keeps-last-file":          keepsLastFile,
	"writes-other-cdi-devices": changesFiles(renamesCDIDevice),
	"sets-wrong-value":         setsWrongValue,

	// Registration and health.
	"registers-other-name":           onRegister(registersOtherName),
	"offers-unknown-services":        onRegister(offersUnknownServices),
	"registers-only-once":            registersOnlyOnce,
	"fails-to-report-health":         failsToReportHealth,
	"reports-health-of-other-device": reportsOtherDevice,
	"reports-times-in-milliseconds":  reportsMilliseconds,

	// ResourceSlices.
	"publishes-too-few-slices":        publishes(tooFewSlices),
	"publishes-device-twice":          publishes(deviceTwice),
	"renames-devices-at-restart":      renamesDevices,
	"leaves-slices-of-old-generation": publishes(olderGeneration),
	"renames-devices-in-use":          renamesInUse,
}
