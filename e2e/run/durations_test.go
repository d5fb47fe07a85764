// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	alljourneys "github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
)

func TestLongestSpecsExist(t *testing.T) {
	g := NewWithT(t)
	all := slices.Concat(specs.All(), alljourneys.All())
	for _, id := range slices.Sorted(maps.Keys(longestSpecs)) {
		g.Expect(slices.ContainsFunc(all, func(s suite.Spec) bool { return s.ID == id })).To(BeTrue(), id)
		g.Expect(longestSpecs[id]).To(BeNumerically(">", 6), "%s is longer than others", id)
	}
}
