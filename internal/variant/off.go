// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !draconform_variants

package variant

// Variants of an allocator.
const (
	TakesLastDevices      = false
	PrefersLargeDevices   = false
	TakesLastPools        = false
	ListsResultsBackwards = false
)

// Variants of a scheduler.
const (
	PacksPods           = false
	SpreadsPods         = false
	ReservesSeparately  = false
	BindsLate           = false
	ReportsInOtherWords = false
)

// Variants of a driver: what it publishes and reports.
const (
	NamesDevicesOtherwise    = false
	NamesPoolsOtherwise      = false
	SplitsSlices             = false
	RepublishesOften         = false
	BeginsWithHighGeneration = false
	ResetsGeneration         = false
	ReportsHealthOften       = false
	WritesMoreDeviceStatus   = false
)

// Variants of a driver: calls.
const (
	AnswersSlowly       = false
	AnswersBackwards    = false
	GivesDevicesOnce    = false
	NamesSpecsOtherwise = false
	RegistersLate       = false
	RegistersAgain      = false
)

// Variants of a kubelet.
const (
	RepeatsCalls = false
)
