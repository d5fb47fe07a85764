// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build !draconform_faults

package fault

// Faults of allocations.
const (
	IgnoresSelectedNode    = false
	IgnoresClassParameters = false
	IgnoresNodeLabels      = false
	GivesDevicesTwice      = false
	IgnoresClaimParameters = false
	OffersDevicesAnywhere  = false
	WaitsForPods           = false
	NeverReserves          = false
	GivesOneDevice         = false
	IgnoresLimit           = false
	ConfinesNetworkDevices = false
)

// Faults of answers about nodes.
const (
	NeverAnswers    = false
	ExcludesNoNodes = false
	ChecksOneNode   = false
)

// Faults of what the driver stores.
const (
	ForgetsClaimsAtRestart = false
	FreesDevicesInUse      = false
	KeepsFreedDevices      = false
	FreesAllDevices        = false
	NeverTakesOver         = false
)
