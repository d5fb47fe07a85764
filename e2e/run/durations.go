// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

// longest lists specs that take long, one per line: how many seconds, and the ID. The
// command hack/longest writes it.
//
//go:embed longest.txt
var longest string

var longestSpecs = parseLongest(longest)

func parseLongest(text string) map[string]int {
	by := map[string]int{}
	for line := range strings.Lines(text) {
		var seconds int
		var id string
		if _, err := fmt.Sscan(line, &seconds, &id); err != nil {
			panic(fmt.Sprintf("longest.txt: %q: %v", line, err)) // A test reads it.
		}
		by[id] = seconds
	}
	return by
}

// lateCapabilities returns the capabilities of drivers that a spec needs and that only
// show after a while. All others are found out at once.
func lateCapabilities(s suite.Spec) []subject.Capability {
	return slices.DeleteFunc(slices.Clone(s.Capabilities), func(c subject.Capability) bool { return c != subject.DeviceStatus && c != subject.Health })
}

// seconds estimates how long specs take one after the other. The first of those that
// need a late capability may wait for it in vain.
func seconds(specs []suite.Spec) int {
	const lackOfCapability = 30
	sum := 0
	found := map[subject.Capability]bool{}
	for _, s := range specs {
		sum += secondsOf(s)
		for _, capability := range lateCapabilities(s) {
			if !found[capability] {
				found[capability] = true
				sum += lackOfCapability
			}
		}
	}
	return sum
}

func secondsOf(s suite.Spec) int {
	const restartOfNode, restartOfDriver, others = 25, 12, 6
	needs := func(n env.Need) bool { return slices.Contains(s.Needs, n) }
	switch measured, ok := longestSpecs[s.ID]; {
	case ok:
		return measured
	case needs(env.NeedsNodes):
		return restartOfNode
	case needs(env.NeedsDriverRestart), needs(env.NeedsDriverStop):
		return restartOfDriver
	}
	return others
}
