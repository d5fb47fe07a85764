// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package fault

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// variable is the environment variable that names the faults that are on, separated by
// commas.
const variable = "DRACONFORM_FAULT"

var (
	chosen = strings.FieldsFunc(os.Getenv(variable), func(r rune) bool { return r == ',' })
	known  []string
)

// on declares a fault and reports whether it is on.
func on(name string) bool {
	known = append(known, name)
	return slices.Contains(chosen, name)
}

func init() {
	for _, name := range chosen {
		if !slices.Contains(known, name) {
			fmt.Fprintf(os.Stderr, "%s=%s: no such fault, use one of %v\n", variable, name, known)
			os.Exit(2)
		}
	}
}

// Faults of allocations.
var (
	IgnoresSelectedNode    = on("ignores-selected-node")
	IgnoresClassParameters = on("ignores-class-parameters")
	IgnoresNodeLabels      = on("ignores-node-labels")
	GivesDevicesTwice      = on("gives-devices-twice")
	IgnoresClaimParameters = on("ignores-claim-parameters")
	OffersDevicesAnywhere  = on("offers-devices-anywhere")
	WaitsForPods           = on("waits-for-pods")
	NeverReserves          = on("never-reserves")
	GivesOneDevice         = on("gives-one-device")
	IgnoresLimit           = on("ignores-limit")
	ConfinesNetworkDevices = on("confines-network-devices")
)

// Faults of answers about nodes.
var (
	NeverAnswers    = on("never-answers")
	ExcludesNoNodes = on("excludes-no-nodes")
	ChecksOneNode   = on("checks-one-node")
)

// Faults of what the driver stores.
var (
	ForgetsClaimsAtRestart = on("forgets-claims-at-restart")
	FreesDevicesInUse      = on("frees-devices-in-use")
	KeepsFreedDevices      = on("keeps-freed-devices")
	FreesAllDevices        = on("frees-all-devices")
	NeverTakesOver         = on("never-takes-over")
)
