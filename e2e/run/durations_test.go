// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	alljourneys "github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
)

func TestLongestSpecsExist(t *testing.T) {
	g := NewWithT(t)
	all := slices.Concat(specs.All(), alljourneys.All())
	for _, id := range slices.Sorted(maps.Keys(longestSpecs)) {
		g.Expect(slices.ContainsFunc(all, func(s suite.Spec) bool { return s.ID == id })).To(BeTrue(), id)
		g.Expect(longestSpecs[id]).To(BeNumerically(">", 6), "%s is longer than others", id)
	}
}

// Specs that should begin first do so in each kind of process.
func TestOrder(t *testing.T) {
	g := NewWithT(t)
	spec := func(id string, needs ...env.Need) suite.Spec { return suite.Spec{ID: id, Needs: needs} }
	all := []suite.Spec{spec("a"), spec("long", env.NeedsNodes), spec("failed"), spec("failed-long", env.NeedsDriverStop)}
	first, err := orderOf("^failed")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ids(first.together(all, 1)[0].specs)).To(Equal([]string{"failed-long", "failed", "long", "a"}))
	g.Expect(ids(order{}.together(all, 1)[0].specs)).To(Equal([]string{"long", "failed-long", "a", "failed"}))
	var groups []string
	for _, s := range first.groupsOf(twoDrivers, ofGPUs(all), map[string][]string{"gpus.example.com": {"1"}}) {
		groups = append(groups, ids(s.specs)...)
	}
	g.Expect(groups).To(Equal([]string{"failed-long", "failed", "long", "a"}))
	r := workersRunner(&bytes.Buffer{}, script(""))
	r.order = first
	shares := r.divide(twoDrivers, ofGPUs(all), 0)
	g.Expect(shares).To(HaveLen(1))
	g.Expect(ids(shares[0].specs)).To(Equal([]string{"failed", "failed-long", "a", "long"}), "the others keep their order")
}

func ofGPUs(all []suite.Spec) (with []suite.Spec) {
	for _, s := range all {
		s.Kinds = []subject.Kind{subject.KindExclusive}
		with = append(with, s)
	}
	return with
}
