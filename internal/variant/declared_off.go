// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Code generated from hack/right/right.yaml. DO NOT EDIT.

//go:build !draconform_variants

package variant

// Variants of a scheduler.
const (
	TakesLastDevices        = false
	PrefersLargeDevices     = false
	TakesLastPools          = false
	ListsResultsBackwards   = false
	ConfiguresRequestsApart = false
	PacksPods               = false
	SpreadsPods             = false
	ReservesSeparately      = false
	BindsLate               = false
	ReportsInOtherWords     = false
	RetriesSoon             = false
	RetriesLate             = false
)

// Variants of a driver.
const (
	NamesDevicesOtherwise     = false
	NamesPoolsOtherwise       = false
	SplitsSlices              = false
	RepublishesOften          = false
	BeginsWithHighGeneration  = false
	ResetsGenerationAtRestart = false
	ReportsHealthOften        = false
	WritesMoreDeviceStatus    = false
	AnswersSlowly             = false
	FailsClaimsTogether       = false
	WritesDeviceStatusLate    = false
	AnswersBackwards          = false
	GivesDevicesOnce          = false
	NamesSpecsOtherwise       = false
	RegistersLate             = false
	RegistersAgain            = false
)

// Variants of a kubelet.
const (
	RepeatsCalls = false
)
