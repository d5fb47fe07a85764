// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// long is how many seconds a spec takes at least to be listed. Runs have estimates
// for the others.
const long = 14

// list returns a line for each spec that takes long: its seconds and its id, the longest
// first. A spec of several reports has its longest time, as it may judge another driver
// in each. Failed specs do not count: they take as long as their timeouts.
func list(reports []report.Report) string {
	by := map[string]int{}
	for _, r := range reports {
		for _, s := range r.Specs {
			if seconds := int(math.Round(s.Seconds)); s.Outcome == suite.Passed && seconds >= long {
				by[s.ID] = max(by[s.ID], seconds)
			}
		}
	}
	ids := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
	var text strings.Builder
	for _, id := range ids {
		fmt.Fprintln(&text, by[id], id)
	}
	return text.String()
}
