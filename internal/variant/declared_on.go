// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Code generated from hack/right/right.yaml. DO NOT EDIT.

//go:build draconform_variants

package variant

// Variants of a scheduler.
var (
	TakesLastDevices        = on("takes-last-devices")
	PrefersLargeDevices     = on("prefers-large-devices")
	TakesLastPools          = on("takes-last-pools")
	ListsResultsBackwards   = on("lists-results-backwards")
	ConfiguresRequestsApart = on("configures-requests-apart")
	PacksPods               = on("packs-pods")
	SpreadsPods             = on("spreads-pods")
	ReservesSeparately      = on("reserves-separately")
	BindsLate               = on("binds-late")
	ReportsInOtherWords     = on("reports-in-other-words")
	RetriesSoon             = on("retries-soon")
	RetriesLate             = on("retries-late")
)

// Variants of a driver.
var (
	NamesDevicesOtherwise     = on("names-devices-otherwise")
	NamesPoolsOtherwise       = on("names-pools-otherwise")
	SplitsSlices              = on("splits-slices")
	RepublishesOften          = on("republishes-often")
	BeginsWithHighGeneration  = on("begins-with-high-generation")
	ResetsGenerationAtRestart = on("resets-generation-at-restart")
	ReportsHealthOften        = on("reports-health-often")
	WritesMoreDeviceStatus    = on("writes-more-device-status")
	AnswersSlowly             = on("answers-slowly")
	FailsClaimsTogether       = on("fails-claims-together")
	WritesDeviceStatusLate    = on("writes-device-status-late")
	AnswersBackwards          = on("answers-backwards")
	GivesDevicesOnce          = on("gives-devices-once")
	NamesSpecsOtherwise       = on("names-specs-otherwise")
	RegistersLate             = on("registers-late")
	RegistersAgain            = on("registers-again")
)

// Variants of a kubelet.
var (
	RepeatsCalls = on("repeats-calls")
)
