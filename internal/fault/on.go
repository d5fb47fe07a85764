// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package fault

import (
	"fmt"
	"os"
	"slices"
	"time"
)

var (
	chosen = os.Getenv(Variable)
	known  []string
)

// on registers a fault and reports whether it is the chosen one.
func on(name string) bool {
	known = append(known, name)
	return name == chosen
}

var started = time.Now()

// Early reports whether an object was created before the program started.
// Faults that forget earlier state use it.
func Early(created time.Time) bool { return created.Before(started) }

// An unknown fault is an error: a run without the chosen fault would prove
// nothing.
func init() {
	if chosen != "" && !slices.Contains(known, chosen) {
		fmt.Fprintf(os.Stderr, "%s=%s: no such fault, use one of %v\n", Variable, chosen, known)
		os.Exit(2)
	}
}

// Faults of a scheduler: partitions.
var (
	IgnoresMemorySlices       = on("ignores-memory-slices")
	IgnoresMultiprocessors    = on("ignores-multiprocessors")
	CountsOneSliceOnly        = on("counts-one-slice-only")
	DoesNotChargeWholeDevices = on("does-not-charge-whole-devices")
	ForgetsOtherClaims        = on("forgets-other-claims")
	ForgetsOwnDevices         = on("forgets-own-devices")
	ForgetsReleases           = on("forgets-releases")
	AcceptsInvalidPools       = on("accepts-invalid-pools")
	HidesInvalidPools         = on("hides-invalid-pools")
	UsesIncompletePools       = on("uses-incomplete-pools")
	UsesOldGenerations        = on("uses-old-generations")
	AdminNeedsFreeDevices     = on("admin-needs-free-devices")
)

// Faults of a scheduler: device requests.
var (
	IgnoresClasses           = on("ignores-classes")
	IgnoresSelectors         = on("ignores-selectors")
	IgnoresMatchAttribute    = on("ignores-match-attribute")
	IgnoresDistinctAttribute = on("ignores-distinct-attribute")
	IgnoresTaints            = on("ignores-taints")
	TakesAllButOne           = on("takes-all-but-one")
	GivesDevicesTwice        = on("gives-devices-twice")
)

// Faults of a scheduler: device taints.
var (
	IgnoresNoExecute         = on("ignores-no-execute")
	HeedsOtherEffects        = on("heeds-other-effects")
	ComparesFirstTaintOnly   = on("compares-first-taint-only")
	IgnoresTolerationKeys    = on("ignores-toleration-keys")
	IgnoresTolerationValues  = on("ignores-toleration-values")
	ComparesAnyValue         = on("compares-any-value")
	IgnoresTolerationEffects = on("ignores-toleration-effects")
	KeepsNoTolerations       = on("keeps-no-tolerations")
	SharesTolerations        = on("shares-tolerations")
	ForgetsSliceUpdates      = on("forgets-slice-updates")
)

// Faults of a scheduler: admin access.
var (
	AdminHoldsDevices   = on("admin-holds-devices")
	AdminIsNotRecorded  = on("admin-is-not-recorded")
	AdminForAllRequests = on("admin-for-all-requests")
	AdminRepeatsDevices = on("admin-repeats-devices")
)

// Faults of a scheduler: extended resources.
var (
	IgnoresDevicePlugins  = on("ignores-device-plugins")
	IgnoresImplicitNames  = on("ignores-implicit-names")
	RequestsOneDevice     = on("requests-one-device")
	MapsToFirstRequest    = on("maps-to-first-request")
	IgnoresInitContainers = on("ignores-init-containers")
	MakesUnownedClaims    = on("makes-unowned-claims")
	MakesUnmarkedClaims   = on("makes-unmarked-claims")
)

// Faults of a scheduler: prioritized lists.
var (
	PrefersSecond                 = on("prefers-second")
	NeverFallsBack                = on("never-falls-back")
	NamesRequestOnly              = on("names-request-only")
	IgnoresCounts                 = on("ignores-counts")
	KeepsOtherConfig              = on("keeps-other-config")
	LosesOwnConfig                = on("loses-own-config")
	ConfiguresByFirstClass        = on("configures-by-first-class")
	IgnoresConstraintOnSubrequest = on("ignores-constraint-on-subrequest")
	IgnoresConstraintOnList       = on("ignores-constraint-on-list")
)

// Faults of a scheduler: devices that several nodes can access.
var (
	DropsNodeSelector   = on("drops-node-selector")
	IgnoresNodeSelector = on("ignores-node-selector")
)

// Faults of a scheduler: shared devices.
var (
	IgnoresLocks          = on("ignores-locks")
	ForgetsDecisions      = on("forgets-decisions")
	ForgetsLocksAtRestart = on("forgets-locks-at-restart")
	UnlocksUndrained      = on("unlocks-undrained")
	KeepsReleasedDevices  = on("keeps-released-devices")
	AcceptsMissingKeys    = on("accepts-missing-keys")
	DoesNotRoundCapacity  = on("does-not-round-capacity")
	OverdrawsCapacity     = on("overdraws-capacity")
)

// Faults of a scheduler: changing clusters.
var (
	ForgetsAllocationsAtRestart = on("forgets-allocations-at-restart")
	LocksToOneOfSeveralValues   = on("locks-to-one-of-several-values")
	IgnoresGateOfPartitions     = on("ignores-gate-of-partitions")
	IgnoresGateOfSharedDevices  = on("ignores-gate-of-shared-devices")
	IgnoresGateOfLists          = on("ignores-gate-of-lists")
	AcceptsOldForm              = on("accepts-old-form")
)

// Faults of a driver.
var (
	ForgetsToUnprepare         = on("forgets-to-unprepare")
	ForgetsCheckpoint          = on("forgets-checkpoint")
	GivesNoDevices             = on("gives-no-devices")
	ShowsAnotherDevice         = on("shows-another-device")
	NamesMissingHook           = on("names-missing-hook")
	PreparesAnotherDeviceAgain = on("prepares-another-device-again")
	RefusesToPrepareAgain      = on("refuses-to-prepare-again")
	DoesNotRestoreSpecs        = on("does-not-restore-specs")
	DoesNotRepublish           = on("does-not-republish")
	UnpreparesAllClaims        = on("unprepares-all-claims")
	DropsOlderCheckpoint       = on("drops-older-checkpoint")
)
