// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package statecheck compares the allocated state of two sources. It is for tests.
package statecheck

import (
	"fmt"
	"slices"

	"k8s.io/dynamic-resource-allocation/structured"
)

// Describe returns one line for each allocated item, sorted: a device, a share, or a capacity with the consumed
// amount, if that is not zero.
func Describe(state *structured.AllocatedState) []string {
	var lines []string
	for id := range state.AllocatedDevices {
		lines = append(lines, "device "+id.String())
	}
	for id := range state.AllocatedSharedDeviceIDs {
		lines = append(lines, "share "+id.String())
	}
	for id, consumed := range state.AggregatedCapacity {
		for name, quantity := range consumed {
			if !quantity.IsZero() {
				lines = append(lines, fmt.Sprintf("%s of %s: %s", name, id, quantity))
			}
		}
	}
	slices.Sort(lines)
	return lines
}

// Source returns an allocated state. It may return an error while the state changes.
type Source func() (*structured.AllocatedState, error)

// Compare returns an error if the states of the two sources differ.
func Compare(ours, gathered Source) error {
	a, err := ours()
	if err != nil {
		return err
	}
	b, err := gathered()
	if err != nil {
		return err
	}
	x, y := Describe(a), Describe(b)
	if !slices.Equal(x, y) {
		return fmt.Errorf("the ledger has %q, and the SharedDRAManager gathers %q", x, y)
	}
	return nil
}
