// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

const events = `{"Time":"2026-01-01T00:00:00Z","Action":"start","Package":"example.com/a"}
{"Time":"2026-01-01T00:00:00Z","Action":"run","Package":"example.com/a","Test":"TestA"}
{"Time":"2026-01-01T00:00:00Z","Action":"output","Package":"example.com/a","Test":"TestA","Output":"noise of a test that passed\n"}
{"Time":"2026-01-01T00:00:04Z","Action":"output","Package":"example.com/a","Output":"ok  \texample.com/a\t4.000s\n"}
{"Time":"2026-01-01T00:00:04Z","Action":"pass","Package":"example.com/a","Elapsed":4}
{"ImportPath":"example.com/c","Action":"build-output","Output":"c.go:1: undefined\n"}
{"Time":"2026-01-01T00:00:05Z","Action":"start","Package":"example.com/b"}
{"Time":"2026-01-01T00:00:05Z","Action":"output","Package":"example.com/b","Test":"TestA","Output":"noise of another\n"}
{"Time":"2026-01-01T00:00:05Z","Action":"pass","Package":"example.com/b","Test":"TestA"}
{"Time":"2026-01-01T00:00:05Z","Action":"output","Package":"example.com/b","Test":"TestB","Output":"=== RUN   TestB\n"}
{"Time":"2026-01-01T00:00:05Z","Action":"output","Package":"example.com/b","Test":"TestB","Output":"--- FAIL: TestB\n    b_test.go:7: why\n"}
{"Time":"2026-01-01T00:00:06Z","Action":"fail","Package":"example.com/b","Test":"TestB","Elapsed":1}
{"Time":"2026-01-01T00:00:06Z","Action":"output","Package":"example.com/b","Output":"FAIL\texample.com/b\t9.000s\n"}
{"Time":"2026-01-01T00:00:14Z","Action":"fail","Package":"example.com/b","Elapsed":9}
`

func TestReadPrintsAsGoTestDoes(t *testing.T) {
	g := NewWithT(t)
	var out strings.Builder
	var all times
	g.Expect(all.read(strings.NewReader(events), &out)).To(Succeed())
	g.Expect(out.String()).To(Equal("ok  \texample.com/a\t4.000s\nc.go:1: undefined\n--- FAIL: TestB\n    b_test.go:7: why\nFAIL\texample.com/b\t9.000s\n"),
		"one line of a package that passed, all lines of a failure")
	g.Expect(all.passed).To(Equal(1))
	g.Expect(all.packages).To(Equal([]packageTime{{"example.com/a", 4 * time.Second}, {"example.com/b", 9 * time.Second}}))
	g.Expect(all.table()).To(MatchRegexp(`(?s)2 packages in .*; tests took 13s in total, the longest:\n +9s  example.com/b\n +4s  example.com/a\n$`))
	g.Expect(all.order()).To(Equal("example.com/b\nexample.com/a\n"))
}

func TestReadRejectsOtherOutput(t *testing.T) {
	err := (&times{}).read(strings.NewReader("no JSON"), &strings.Builder{})
	NewWithT(t).Expect(err).To(MatchError(HavePrefix("read the output of go test: ")))
}

func TestLongestPackagesComeFirst(t *testing.T) {
	g := NewWithT(t)
	packages, err := suite{dir: "../..", packages: "./hack/..."}.list(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(packages).To(ContainElement("github.com/draconform/draconform/hack/test"))
	longest = "github.com/draconform/draconform/hack/test\n"
	packages, err = suite{dir: "../..", packages: "./hack/...", without: "/mutants"}.list(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(packages[0]).To(Equal("github.com/draconform/draconform/hack/test"))
	g.Expect(packages).NotTo(ContainElement(ContainSubstring("/mutants")))
	g.Expect(packages).NotTo(ContainElement(HaveSuffix("/hack/internal/command")), "it has no tests")
}
