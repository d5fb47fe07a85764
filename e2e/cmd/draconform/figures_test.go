// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
)

var (
	profileLine = regexp.MustCompile(`profile (\S+): .*core \d+ of (\d+) passed, extended \d+ of (\d+) executed(?:, (\d+) not executable)?`)
	// verdictLine follows the line of the only profile of a run.
	verdictLine = regexp.MustCompile(`verdict: (?:<b class="good">)?passed(?:</b>)?: (\d+) passed, (\d+) not-applicable;`)
)

// sum returns the sum of numbers in a text. An empty one is nothing.
func sum(t *testing.T, numbers ...string) int {
	t.Helper()
	total := 0
	for _, number := range numbers {
		if number != "" {
			n, err := strconv.Atoi(number)
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			total += n
		}
	}
	return total
}

// Readers compare the verdicts of the pages with theirs.
func TestVerdictsOfThePagesHaveTheNumbersOfSpecs(t *testing.T) {
	g := NewWithT(t)
	count := map[string]map[suite.Level]int{}
	for _, s := range specs.All() {
		if count[s.Profile] == nil {
			count[s.Profile] = map[suite.Level]int{}
		}
		count[s.Profile][s.Level]++
	}
	pages, err := filepath.Glob("../../../docs/*.md")
	g.Expect(err).NotTo(HaveOccurred())
	lines, verdicts := 0, 0
	for _, page := range append(pages, "../../../hack/site/content/_index.md") {
		content, err := os.ReadFile(page)
		g.Expect(err).NotTo(HaveOccurred())
		for _, found := range profileLine.FindAllStringSubmatch(string(content), -1) {
			lines++
			of := count[found[1]]
			g.Expect(sum(t, found[2])).To(Equal(of[suite.Core]), "%s: %s", page, found[0])
			g.Expect(sum(t, found[3], found[4])).To(Equal(of[suite.Extended]), "%s: %s", page, found[0])
		}
		for _, found := range verdictLine.FindAllStringSubmatch(string(content), -1) {
			verdicts++
			of := count["driver"]
			g.Expect(sum(t, found[1:]...)).To(Equal(of[suite.Core]+of[suite.Extended]), "%s: %s", page, found[0])
		}
	}
	g.Expect([]int{lines, verdicts}).To(Equal([]int{6, 3}))
}
