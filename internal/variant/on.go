// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_variants

package variant

import "github.com/draconform/draconform/internal/switches"

var variants = switches.New(Variable)

// on declares a variant and reports whether it is on.
func on(name string) bool { return variants.On(name) }

func init() { variants.ExitIfUnknown("variant") }

// Variants of an allocator.
var (
	TakesLastDevices      = on("takes-last-devices")
	PrefersLargeDevices   = on("prefers-large-devices")
	TakesLastPools        = on("takes-last-pools")
	ListsResultsBackwards = on("lists-results-backwards")
)

// Variants of a scheduler.
var (
	PacksPods           = on("packs-pods")
	SpreadsPods         = on("spreads-pods")
	ReservesSeparately  = on("reserves-separately")
	BindsLate           = on("binds-late")
	ReportsInOtherWords = on("reports-in-other-words")
)

// Variants of a driver: what it publishes and reports.
var (
	NamesDevicesOtherwise    = on("names-devices-otherwise")
	NamesPoolsOtherwise      = on("names-pools-otherwise")
	SplitsSlices             = on("splits-slices")
	RepublishesOften         = on("republishes-often")
	BeginsWithHighGeneration = on("begins-with-high-generation")
	ResetsGeneration         = on("resets-generation-at-restart")
	ReportsHealthOften       = on("reports-health-often")
	WritesMoreDeviceStatus   = on("writes-more-device-status")
)

// Variants of a driver: calls.
var (
	AnswersSlowly       = on("answers-slowly")
	AnswersBackwards    = on("answers-backwards")
	GivesDevicesOnce    = on("gives-devices-once")
	NamesSpecsOtherwise = on("names-specs-otherwise")
	RegistersLate       = on("registers-late")
	RegistersAgain      = on("registers-again")
)

// Variants of a kubelet.
var (
	RepeatsCalls = on("repeats-calls")
)
