// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !draconform_faults

package fault

import "time"

// Early reports false: without the build tag there are no faults.
func Early(time.Time) bool { return false }

// Faults of a scheduler: partitions.
const (
	IgnoresMemorySlices       = false
	IgnoresMultiprocessors    = false
	CountsOneSliceOnly        = false
	DoesNotChargeWholeDevices = false
	ForgetsOtherClaims        = false
	ForgetsOwnDevices         = false
	ForgetsReleases           = false
	AcceptsInvalidPools       = false
	HidesInvalidPools         = false
	UsesIncompletePools       = false
	UsesOldGenerations        = false
	ComparesGenerationsAsText = false
	AdminNeedsFreeDevices     = false
	RefusesUsedCounters       = false
	ReadsFirstCountersOnly    = false
)

// Faults of a scheduler: device requests.
const (
	IgnoresClasses                = false
	IgnoresSelectors              = false
	IgnoresMatchAttribute         = false
	IgnoresDistinctAttribute      = false
	IgnoresTaints                 = false
	TakesAllButOne                = false
	GivesDevicesTwice             = false
	AppliesFirstConstraintOnly    = false
	ComparesFirstOfRequest        = false
	ReadsFirstSelectorOnly        = false
	RoundsAmountsUp               = false
	SeesFirstDevicesOnly          = false
	TakesAsManyAsFit              = false
	ConstrainsCountsOnly          = false
	NeverTakesBack                = false
	GivesUpEarly                  = false
	IgnoresClassesOfLaterRequests = false
)

// Faults of a scheduler: places and names.
const (
	IgnoresSliceSelectors      = false
	IgnoresNodeFields          = false
	ComparesNoLabelNumbers     = false
	IgnoresAllNodes            = false
	ReadsShortNamesOnly        = false
	ComparesLongNamesOnly      = false
	IgnoresPreReleases         = false
	IgnoresUnits               = false
	ComparesValuesAsText       = false
	PassesOverFailures         = false
	ConstrainsFirstRequestOnly = false
	SelectsNodesOfFirstSlice   = false
)

// Faults of a scheduler: claims and events.
const (
	LimitsConsumers           = false
	KeepsUnusedAllocations    = false
	MovesUsedAllocations      = false
	ForgetsNodeLabels         = false
	ForgetsNewClasses         = false
	ForgetsNewSlices          = false
	ForgetsNewClaims          = false
	AddsNoFinalizer           = false
	KeepsReservations         = false
	KeepsLaterDevices         = false
	StopsPreemption           = false
	LooksForDevicesLate       = false
	ForgetsClassUpdates       = false
	KeepsDeletedSlices        = false
	KeepsChangedSlices        = false
	KeepsFirstClasses         = false
	DropsDeviceStatus         = false
	HoldsFirstPoolOnly        = false
	IgnoresAllocatedBesideNew = false
	RefusesEmptyClaims        = false
)

// Faults of a scheduler: device taints.
const (
	IgnoresNoExecute         = false
	HeedsOtherEffects        = false
	ComparesFirstTaintOnly   = false
	IgnoresTimedTolerations  = false
	IgnoresTolerationKeys    = false
	IgnoresTolerationValues  = false
	ComparesAnyValue         = false
	IgnoresTolerationEffects = false
	KeepsNoTolerations       = false
	SharesTolerations        = false
	ForgetsSliceUpdates      = false
)

// Faults of a scheduler: binding conditions.
const (
	IgnoresBindingConditions   = false
	ComparesFirstConditionOnly = false
	ComparesFirstDeviceOnly    = false
	AcceptsAnyConditionStatus  = false
	IgnoresBindingFailures     = false
	KeepsFailedAllocations     = false
	IgnoresBindsToNode         = false
	ComparesDeviceNamesOnly    = false
	BindsByFirstDeviceOnly     = false
)

// Faults of a scheduler: admin access.
const (
	AdminHoldsDevices       = false
	AdminIsNotRecorded      = false
	AdminForAllRequests     = false
	AdminRepeatsDevices     = false
	AdminToleratesTaints    = false
	AdminIgnoresConstraints = false
)

// Faults of a scheduler: extended resources.
const (
	IgnoresDevicePlugins  = false
	IgnoresImplicitNames  = false
	RequestsOneDevice     = false
	MapsToFirstRequest    = false
	IgnoresInitContainers = false
	MakesUnownedClaims    = false
	MakesUnmarkedClaims   = false
)

// Faults of a scheduler: prioritized lists.
const (
	PrefersSecond                 = false
	NeverFallsBack                = false
	NamesRequestOnly              = false
	IgnoresCounts                 = false
	KeepsOtherConfig              = false
	LosesOwnConfig                = false
	ConfiguresByFirstClass        = false
	IgnoresConstraintOnSubrequest = false
	IgnoresConstraintOnList       = false
	TriesFourSubrequests          = false
	ComparesSubrequestNamesOnly   = false
)

// Faults of a scheduler: devices that several nodes can access.
const (
	DropsNodeSelector   = false
	IgnoresNodeSelector = false
)

// Faults of a scheduler: shared devices.
const (
	IgnoresLocks           = false
	ForgetsDecisions       = false
	ForgetsLocksAtRestart  = false
	UnlocksUndrained       = false
	KeepsReleasedDevices   = false
	AcceptsMissingKeys     = false
	DoesNotRoundCapacity   = false
	OverdrawsCapacity      = false
	OverdrawsForAllDevices = false
	SharesByCapacityOnly   = false
	ChargesFirstShareOnly  = false
)

// Faults of a scheduler: changing clusters.
const (
	ForgetsAllocationsAtRestart = false
	LocksToOneOfSeveralValues   = false
	IgnoresGateOfPartitions     = false
	IgnoresGateOfSharedDevices  = false
	IgnoresGateOfLists          = false
	AcceptsOldForm              = false
)

// Faults of a driver.
const (
	ForgetsToUnprepare         = false
	ForgetsCheckpoint          = false
	GivesNoDevices             = false
	ShowsAnotherDevice         = false
	NamesMissingHook           = false
	PreparesAnotherDeviceAgain = false
	RefusesToPrepareAgain      = false
	DoesNotRestoreSpecs        = false
	DoesNotRepublish           = false
	UnpreparesAllClaims        = false
	DropsOlderCheckpoint       = false
)

// Faults of a driver: what it publishes and reports.
const (
	RenamesDevicesAtRestart      = false
	OverstatesCounters           = false
	PublishesTwiceAtRestart      = false
	WritesNoDeviceStatus         = false
	MisstatesMetadata            = false
	NeverReportsUnhealthy        = false
	ReportsAllUnhealthy          = false
	ReportsHealthOfUnknownDevice = false
)

// Faults of a driver: calls.
const (
	LeavesSpecs                   = false
	PreparesFirstClaimOnly        = false
	UnpreparesFirstClaimOnly      = false
	FailsToUnprepareUnknownClaims = false
	NamesAnotherPool              = false
	IgnoresAffinityOfOthers       = false
	IgnoresOwnConfiguration       = false
	PreparesResultsOfOtherDrivers = false
	IgnoresClassConfiguration     = false
	IgnoresClaimConfiguration     = false
)

// Faults of a driver: claims of several kinds and in several orders.
const (
	RefusesAdminAccess        = false
	HoldsForAdminAccess       = false
	ReleasesWithAdminAccess   = false
	ForgetsAdminAccess        = false
	PreparesFirstResultOnly   = false
	PreparesFirstShareOnly    = false
	PreparesFourDevicesOnly   = false
	UnpreparesOtherShares     = false
	ConfiguresFirstDeviceOnly = false
	RejectsOtherParameters    = false
	NeedsNamedRequests        = false
	RemembersNames            = false
	RemembersAllocations      = false
	KeepsOneClaim             = false
	RejectsDeletedClaims      = false
)

// Faults of a driver: its files.
const (
	IgnoresFullDisk          = false
	WritesSpecsInPlace       = false
	TrustsFailedClaims       = false
	HoldsFailedClaims        = false
	ForgetsDamagedCheckpoint = false
	DiesOfDamagedCheckpoint  = false
)

// Faults of a driver: devices that span hosts, and their controller.
const (
	ShowsPartOfFirstHost     = false
	ListsOwnHostFirst        = false
	MisstatesShapes          = false
	PublishesWithoutCounters = false
)

// Faults of a kubelet: the calls that a driver gets from it, and what it makes of the answers.
const (
	CallsForFirstClaimOnly      = false
	CallsForEachClaim           = false
	CallsForOtherClaims         = false
	CallsForClaimsOfOtherPods   = false
	ForgetsClaimsAtRestart      = false
	NeverUnprepares             = false
	UnpreparesTooEarly          = false
	UnpreparesClaimsOfOtherPods = false
	PreparesAfterUnprepare      = false
	IgnoresFailedPrepare        = false
	NeverRepeatsPrepare         = false
	IgnoresFailedUnprepare      = false
	GivesFirstDeviceOnly        = false
	MixesUpRequests             = false
	StoresAnotherPool           = false
)
