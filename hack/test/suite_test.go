// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestLongestPackagesComeFirst(t *testing.T) {
	g := NewWithT(t)
	packages, err := suite{dir: "../..", packages: []string{"./hack/..."}}.list(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(packages).To(ContainElement("github.com/draconform/draconform/hack/test"))
	longest = "github.com/draconform/draconform/hack/test\n"
	packages, err = suite{dir: "../..", packages: []string{"./hack/..."}, without: "/mutants"}.list(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(packages[0]).To(Equal("github.com/draconform/draconform/hack/test"))
	g.Expect(packages).NotTo(ContainElement(ContainSubstring("/mutants")))
	g.Expect(packages).NotTo(ContainElement(HaveSuffix("/hack/internal/kindrun")), "it has no tests")
}

// A pattern that matches nothing any more would go unnoticed, because go test passes
// then.
func TestPatternsMatchTestsOfEachPackage(t *testing.T) {
	g := NewWithT(t)
	packages := []string{"a", "b"}
	g.Expect(suite{}.check(packages, map[string]int{"a": 1})).To(Succeed(), "b may have benchmarks only")
	g.Expect(suite{}.check(packages, nil)).To(MatchError("no test has run"))
	chosen := suite{tests: "^TestWrong"}
	g.Expect(chosen.check(packages, map[string]int{"a": 1, "b": 2})).To(Succeed())
	g.Expect(chosen.check(packages, map[string]int{"a": 1})).To(MatchError("no test of b matches ^TestWrong"))
}
