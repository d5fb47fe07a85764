// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package fault

import (
	"time"

	"github.com/draconform/draconform/internal/switches"
)

var faults = switches.New(Variable)

// on declares a fault and reports whether it is on.
func on(name string) bool { return faults.On(name) }

var started = time.Now()

// Early reports whether an object was created before the program started.
// Faults that forget earlier state use it.
func Early(created time.Time) bool { return created.Before(started) }

func init() { faults.ExitIfUnknown("fault") }

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
	ComparesGenerationsAsText = on("compares-generations-as-text")
	AdminNeedsFreeDevices     = on("admin-needs-free-devices")
	RefusesUsedCounters       = on("refuses-used-counters")
	ReadsFirstCountersOnly    = on("reads-first-counters-only")
)

// Faults of a scheduler: device requests.
var (
	IgnoresClasses                = on("ignores-classes")
	IgnoresSelectors              = on("ignores-selectors")
	IgnoresMatchAttribute         = on("ignores-match-attribute")
	IgnoresDistinctAttribute      = on("ignores-distinct-attribute")
	IgnoresTaints                 = on("ignores-taints")
	TakesAllButOne                = on("takes-all-but-one")
	GivesDevicesTwice             = on("gives-devices-twice")
	AppliesFirstConstraintOnly    = on("applies-first-constraint-only")
	ComparesFirstOfRequest        = on("compares-first-of-request")
	ReadsFirstSelectorOnly        = on("reads-first-selector-only")
	RoundsAmountsUp               = on("rounds-amounts-up")
	SeesFirstDevicesOnly          = on("sees-first-devices-only")
	TakesAsManyAsFit              = on("takes-as-many-as-fit")
	ConstrainsCountsOnly          = on("constrains-counts-only")
	NeverTakesBack                = on("never-takes-back")
	GivesUpEarly                  = on("gives-up-early")
	IgnoresClassesOfLaterRequests = on("ignores-classes-of-later-requests")
)

// Faults of a scheduler: places and names.
var (
	IgnoresSliceSelectors      = on("ignores-slice-selectors")
	IgnoresNodeFields          = on("ignores-node-fields")
	ComparesNoLabelNumbers     = on("compares-no-label-numbers")
	IgnoresAllNodes            = on("ignores-all-nodes")
	ReadsShortNamesOnly        = on("reads-short-names-only")
	ComparesLongNamesOnly      = on("compares-long-names-only")
	IgnoresPreReleases         = on("ignores-pre-releases")
	IgnoresUnits               = on("ignores-units")
	ComparesValuesAsText       = on("compares-values-as-text")
	PassesOverFailures         = on("passes-over-failures")
	ConstrainsFirstRequestOnly = on("constrains-first-request-only")
	SelectsNodesOfFirstSlice   = on("selects-nodes-of-first-slice")
)

// Faults of a scheduler: claims and events.
var (
	LimitsConsumers           = on("limits-consumers")
	KeepsUnusedAllocations    = on("keeps-unused-allocations")
	MovesUsedAllocations      = on("moves-used-allocations")
	ForgetsNodeLabels         = on("forgets-node-labels")
	ForgetsNewClasses         = on("forgets-new-classes")
	ForgetsNewSlices          = on("forgets-new-slices")
	ForgetsNewClaims          = on("forgets-new-claims")
	AddsNoFinalizer           = on("adds-no-finalizer")
	KeepsReservations         = on("keeps-reservations")
	KeepsLaterDevices         = on("keeps-later-devices")
	StopsPreemption           = on("stops-preemption")
	LooksForDevicesLate       = on("looks-for-devices-late")
	ForgetsClassUpdates       = on("forgets-class-updates")
	KeepsDeletedSlices        = on("keeps-deleted-slices")
	KeepsChangedSlices        = on("keeps-changed-slices")
	KeepsFirstClasses         = on("keeps-first-classes")
	DropsDeviceStatus         = on("drops-device-status")
	HoldsFirstPoolOnly        = on("holds-first-pool-only")
	IgnoresAllocatedBesideNew = on("ignores-allocated-beside-new")
	RefusesEmptyClaims        = on("refuses-empty-claims")
)

// Faults of a scheduler: device taints.
var (
	IgnoresNoExecute         = on("ignores-no-execute")
	HeedsOtherEffects        = on("heeds-other-effects")
	ComparesFirstTaintOnly   = on("compares-first-taint-only")
	IgnoresTimedTolerations  = on("ignores-timed-tolerations")
	IgnoresTolerationKeys    = on("ignores-toleration-keys")
	IgnoresTolerationValues  = on("ignores-toleration-values")
	ComparesAnyValue         = on("compares-any-value")
	IgnoresTolerationEffects = on("ignores-toleration-effects")
	KeepsNoTolerations       = on("keeps-no-tolerations")
	SharesTolerations        = on("shares-tolerations")
	ForgetsSliceUpdates      = on("forgets-slice-updates")
)

// Faults of a scheduler: binding conditions.
var (
	IgnoresBindingConditions   = on("ignores-binding-conditions")
	ComparesFirstConditionOnly = on("compares-first-condition-only")
	ComparesFirstDeviceOnly    = on("compares-first-device-only")
	AcceptsAnyConditionStatus  = on("accepts-any-condition-status")
	IgnoresBindingFailures     = on("ignores-binding-failures")
	KeepsFailedAllocations     = on("keeps-failed-allocations")
	IgnoresBindsToNode         = on("ignores-binds-to-node")
	ComparesDeviceNamesOnly    = on("compares-device-names-only")
	BindsByFirstDeviceOnly     = on("binds-by-first-device-only")
)

// Faults of a scheduler: admin access.
var (
	AdminHoldsDevices       = on("admin-holds-devices")
	AdminIsNotRecorded      = on("admin-is-not-recorded")
	AdminForAllRequests     = on("admin-for-all-requests")
	AdminRepeatsDevices     = on("admin-repeats-devices")
	AdminToleratesTaints    = on("admin-tolerates-taints")
	AdminIgnoresConstraints = on("admin-ignores-constraints")
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
	TriesFourSubrequests          = on("tries-four-subrequests")
	ComparesSubrequestNamesOnly   = on("compares-subrequest-names-only")
)

// Faults of a scheduler: devices that several nodes can access.
var (
	DropsNodeSelector   = on("drops-node-selector")
	IgnoresNodeSelector = on("ignores-node-selector")
)

// Faults of a scheduler: shared devices.
var (
	IgnoresLocks           = on("ignores-locks")
	ForgetsDecisions       = on("forgets-decisions")
	ForgetsLocksAtRestart  = on("forgets-locks-at-restart")
	UnlocksUndrained       = on("unlocks-undrained")
	KeepsReleasedDevices   = on("keeps-released-devices")
	AcceptsMissingKeys     = on("accepts-missing-keys")
	DoesNotRoundCapacity   = on("does-not-round-capacity")
	OverdrawsCapacity      = on("overdraws-capacity")
	OverdrawsForAllDevices = on("overdraws-for-all-devices")
	SharesByCapacityOnly   = on("shares-by-capacity-only")
	ChargesFirstShareOnly  = on("charges-first-share-only")
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

// Faults of a driver: what it publishes and reports.
var (
	RenamesDevicesAtRestart      = on("renames-devices-at-restart")
	OverstatesCounters           = on("overstates-counters")
	PublishesTwiceAtRestart      = on("publishes-twice-at-restart")
	WritesNoDeviceStatus         = on("writes-no-device-status")
	MisstatesMetadata            = on("misstates-metadata")
	NeverReportsUnhealthy        = on("never-reports-unhealthy")
	ReportsAllUnhealthy          = on("reports-all-unhealthy")
	ReportsHealthOfUnknownDevice = on("reports-health-of-unknown-device")
)

// Faults of a driver: calls.
var (
	LeavesSpecs                   = on("leaves-specs")
	PreparesFirstClaimOnly        = on("prepares-first-claim-only")
	UnpreparesFirstClaimOnly      = on("unprepares-first-claim-only")
	FailsToUnprepareUnknownClaims = on("fails-to-unprepare-unknown-claims")
	NamesAnotherPool              = on("names-another-pool")
	IgnoresAffinityOfOthers       = on("ignores-affinity-of-others")
	IgnoresOwnConfiguration       = on("ignores-own-configuration")
	PreparesResultsOfOtherDrivers = on("prepares-results-of-other-drivers")
	IgnoresClassConfiguration     = on("ignores-class-configuration")
	IgnoresClaimConfiguration     = on("ignores-claim-configuration")
)

// Faults of a driver: claims of several kinds and in several orders.
var (
	RefusesAdminAccess        = on("refuses-admin-access")
	HoldsForAdminAccess       = on("holds-for-admin-access")
	ReleasesWithAdminAccess   = on("releases-with-admin-access")
	ForgetsAdminAccess        = on("forgets-admin-access")
	PreparesFirstResultOnly   = on("prepares-first-result-only")
	PreparesFirstShareOnly    = on("prepares-first-share-only")
	PreparesFourDevicesOnly   = on("prepares-four-devices-only")
	UnpreparesOtherShares     = on("unprepares-other-shares")
	ConfiguresFirstDeviceOnly = on("configures-first-device-only")
	RejectsOtherParameters    = on("rejects-other-parameters")
	NeedsNamedRequests        = on("needs-named-requests")
	RemembersNames            = on("remembers-names")
	RemembersAllocations      = on("remembers-allocations")
	KeepsOneClaim             = on("keeps-one-claim")
	RejectsDeletedClaims      = on("rejects-deleted-claims")
)

// Faults of a driver: its files.
var (
	IgnoresFullDisk          = on("ignores-full-disk")
	WritesSpecsInPlace       = on("writes-specs-in-place")
	TrustsFailedClaims       = on("trusts-failed-claims")
	HoldsFailedClaims        = on("holds-failed-claims")
	ForgetsDamagedCheckpoint = on("forgets-damaged-checkpoint")
	DiesOfDamagedCheckpoint  = on("dies-of-damaged-checkpoint")
)

// Faults of a driver: devices that span hosts, and their controller.
var (
	ShowsPartOfFirstHost     = on("shows-part-of-first-host")
	ListsOwnHostFirst        = on("lists-own-host-first")
	MisstatesShapes          = on("misstates-shapes")
	PublishesWithoutCounters = on("publishes-without-counters")
)

// Faults of a kubelet: the calls that a driver gets from it, and what it makes of the answers.
var (
	CallsForFirstClaimOnly      = on("calls-for-first-claim-only")
	CallsForEachClaim           = on("calls-for-each-claim")
	CallsForOtherClaims         = on("calls-for-other-claims")
	CallsForClaimsOfOtherPods   = on("calls-for-claims-of-other-pods")
	ForgetsClaimsAtRestart      = on("forgets-claims-at-restart")
	NeverUnprepares             = on("never-unprepares")
	UnpreparesTooEarly          = on("unprepares-too-early")
	UnpreparesClaimsOfOtherPods = on("unprepares-claims-of-other-pods")
	PreparesAfterUnprepare      = on("prepares-after-unprepare")
	IgnoresFailedPrepare        = on("ignores-failed-prepare")
	NeverRepeatsPrepare         = on("never-repeats-prepare")
	IgnoresFailedUnprepare      = on("ignores-failed-unprepare")
	GivesFirstDeviceOnly        = on("gives-first-device-only")
	MixesUpRequests             = on("mixes-up-requests")
	StoresAnotherPool           = on("stores-another-pool")
)
