// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
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

// order decides which specs begin first: those whose IDs match, if set, and of the others
// those that take longest.
type order struct{ first *regexp.Regexp }

// orderOf returns the order of [Config.First].
func orderOf(first string) (order, error) {
	if first == "" {
		return order{}, nil
	}
	ids, err := regexp.Compile(first)
	if err != nil {
		return order{}, fmt.Errorf("read which specs begin first, %q: %w", first, err)
	}
	return order{ids}, nil
}

// begins reports whether a spec is one of those that begin first.
func (o order) begins(s suite.Spec) bool { return o.first != nil && o.first.MatchString(s.ID) }

// compareFirst compares specs by whether they begin first.
func (o order) compareFirst(a, b suite.Spec) int { return trueFirst(o.begins(a), o.begins(b)) }

// compare compares lists of specs, each of which runs one after the other.
func (o order) compare(a, b []suite.Spec) int {
	return cmp.Or(trueFirst(slices.ContainsFunc(a, o.begins), slices.ContainsFunc(b, o.begins)), cmp.Compare(seconds(b), seconds(a)))
}

// compareSpecs compares specs of which each can run in any process.
func (o order) compareSpecs(a, b suite.Spec) int {
	return cmp.Or(o.compareFirst(a, b), cmp.Compare(secondsOf(b), secondsOf(a)))
}

func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
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
