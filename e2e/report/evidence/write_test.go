// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/evidence"
)

func TestWrite(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	r := failedRun()
	_, err := r.Write(dir)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(evidence.Write(t.Context(), dir, r, nil)).To(Succeed())
	page, err := os.Open(filepath.Join(dir, "report.html"))
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = page.Close() }()
	root, err := html.Parse(page)
	g.Expect(err).NotTo(HaveOccurred())
	files := document{root}.section(t, "files").text()
	g.Expect(files).To(ContainSubstring("report.yaml"))
	g.Expect(files).To(ContainSubstring("evidence.md"), "it is written before the page")
	markdown, err := os.ReadFile(filepath.Join(dir, "evidence.md"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(markdown)).To(HavePrefix("# draconform: failed\n"))
}

func TestWriteErrors(t *testing.T) {
	g := NewWithT(t)
	err := evidence.Write(t.Context(), filepath.Join(t.TempDir(), "missing"), failedRun(), nil)
	g.Expect(err).To(MatchError(And(ContainSubstring("write evidence.md: "), ContainSubstring("write report.html: "))))
}

func markdown(t *testing.T, e evidence.Evidence) string {
	t.Helper()
	var b strings.Builder
	NewWithT(t).Expect(e.Markdown(&b)).To(Succeed())
	return b.String()
}

func TestMarkdown(t *testing.T) {
	g := NewWithT(t)
	text := "\n" + markdown(t, failed())
	for _, line := range []string{
		"# draconform: failed",
		"1 passed, 1 failed, 1 skipped, 1 not-supported, 1 not-applicable; provisional: 1 failed; not conformant: partitioning.",
		"| partitioning | not-conformant: 1 of 5 specs failed | 1 of 3 passed | 0 of 1 executed, 1 not executable |",
		"| capacity | conformant; not claimed | – | – |",
		"| partitioning | core | large | not-applicable: needs 9 worker nodes, the cluster has 2 |",
		"| partitioning | extended | shares | not-supported: " + whyAbsent + " |",
		"| novel | The behaviour of novel. | scheduler | failed (provisional) |  |",
		"## Failures of provisional specs",
		"> " + report.Rule,
		"| draconform | v0.4.0 |",
		"| Kubernetes | v1.36.3 |",
		"| Scheduler | draconform: v1.37.1, emulates 1.36, image draconform.dev/scheduler:v1.37.1 |",
		"| fits | The behaviour of fits. | scheduler | passed | 10.5 s |",
		"| no-room | The behaviour of no-room. | scheduler | **failed** | 1 min 20 s |",
		"| shares | The behaviour of shares. | scheduler | not-supported: " + whyAbsent + " |  |",
		"### no-room",
		"| 4815-counters-per-pool | Counters are the pool's. | failed | no-room, fits |",
		"| 4815-shares | Shares fit. | not-supported: the feature gate is disabled | shares |",
		"go install github.com/draconform/draconform/e2e/cmd/draconform@v0.4.0",
		`draconform run --release 1.36 --gates alpha --scheduler draconform --workers 2 --focus 's$'`,
	} {
		g.Expect(text).To(ContainSubstring("\n"+line+"\n"), line)
	}
	g.Expect(text).To(ContainSubstring("```text\n"+whyFailed+"\n```\n"), "the complete reason")
}

func TestMarkdownOmitsEmptySections(t *testing.T) {
	g := NewWithT(t)
	r := report.Report{Run: report.Run{ID: "r"}, Verdict: report.Verdict{Result: report.Incomplete, Problem: "no engine"}}
	text := markdown(t, evidence.Evidence{Report: r})
	g.Expect(text).To(HavePrefix("# draconform: incomplete\n"))
	g.Expect(text).To(ContainSubstring("The run ended early:\n\n```text\nno engine\n```\n"))
	g.Expect(text).NotTo(Or(ContainSubstring("## Failures"), ContainSubstring("## Requirements")))
}

// The command that reproduces the run is quoted correctly for a shell.
func TestMarkdownShowsHowToReproduce(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*report.Report)
		want   string
	}{
		"built from a checkout":   {func(r *report.Report) { r.Run.Version = "(devel)" }, "```text\ndraconform run --release 1.36 "},
		"between two releases":    {func(r *report.Report) { r.Run.Version = "v0.4.1-0.20260301120000-abcdefabcdef+dirty" }, "```text\ndraconform run --release 1.36 "},
		"a filter for a shell":    {func(r *report.Report) { r.Run.Flags = []string{"--labels", "a && !b"} }, "\ndraconform run --labels 'a && !b'\n"},
		"a quote":                 {func(r *report.Report) { r.Run.Flags = []string{"--focus", "it's"} }, "\n" + `draconform run --focus 'it'\''s'` + "\n"},
		"nothing":                 {func(r *report.Report) { r.Run.Flags = []string{"--context", ""} }, "\ndraconform run --context ''\n"},
		"names joined by a comma": {func(r *report.Report) { r.Run.Flags = []string{"--feature-override", "a=present,b=absent"} }, "\ndraconform run --feature-override a=present,b=absent\n"},
	} {
		t.Run(name, func(t *testing.T) {
			e := failed()
			test.change(&e.Report)
			NewWithT(t).Expect(markdown(t, e)).To(ContainSubstring(test.want))
		})
	}
}

// Features that the caller declared are marked.
func TestOverriddenFeaturesAreMarked(t *testing.T) {
	g := NewWithT(t)
	e := failed()
	e.Report.Features = features.Set{
		features.Core:            {Present: true, Source: "served"},
		features.Partitions:      {Present: true, Overridden: true, Source: "declared present by the caller; dropped"},
		features.PrioritizedList: {Overridden: true, Source: "declared absent by the caller; kept"},
	}
	const want = "core, partitionable-devices (declared by the caller); absent: prioritized-list (declared by the caller)"
	g.Expect(markdown(t, e)).To(ContainSubstring("| Features | " + want + " |"))
	page := rendered(t, e)
	g.Expect(texts(page.section(t, "environment").all(atom.Tr))).To(ContainElements(
		"Features "+want, "partitionable-devices present declared present by the caller; dropped", "prioritized-list absent declared absent by the caller; kept"))
}

func TestReportText(t *testing.T) {
	g := NewWithT(t)
	var b strings.Builder
	g.Expect(failed().Text(&b)).To(Succeed())
	text := b.String()
	g.Expect(text).To(HavePrefix("verdict: failed: 1 passed, 1 failed"))
	g.Expect(text).To(ContainSubstring("\nprofile partitioning: not-conformant, as 1 of 5 specs failed: core 1 of 3 passed, extended 0 of 1 executed, 1 not executable\n" +
		"  core: large: not-applicable: needs 9 worker nodes, the cluster has 2\n  extended: shares: not-supported: " + whyAbsent + "\n" +
		"profile capacity: conformant, not claimed: 7 passed\n"))
	g.Expect(text).To(MatchRegexp(`(?m)^novel +failed \(provisional\) +see below$`))
	g.Expect(text).To(MatchRegexp(`(?s)\nnovel failed, without effect on the verdict because it is provisional\. .*\nno-room failed\.`), "the failures that matter are last")
	g.Expect(text).To(MatchRegexp(`(?m)^Kubernetes: +v1.36.3$`))
	g.Expect(text).To(MatchRegexp(`(?m)^fits +passed +10.5 s$`))
	g.Expect(text).To(MatchRegexp(`(?m)^shares +not-supported +feature consumable-capacity is absent: dropped$`))
	g.Expect(text).To(ContainSubstring("\nno-room failed. The behaviour of no-room.\n  " + strings.ReplaceAll(whyFailed, "\n", "\n  ") + "\n"))
	g.Expect(text).To(ContainSubstring("\nrequirement 4815-counters-per-pool: failed\nrequirement 4815-shares: not-supported: the feature gate is disabled\nrequirement 4815-names: unproved\n"))
}

// The names of many specs that are missing for the same reason are shortened.
func TestProfilesNamesMissingSpecs(t *testing.T) {
	r := failedRun()
	for _, id := range []string{"a", "b", "c"} {
		missing := r.Specs[3]
		missing.ID = id
		r.Specs = append(r.Specs, missing)
	}
	NewWithT(t).Expect(evidence.Profiles(r)[0]).To(ContainSubstring("\n  core: large, a, b, and 1 more: not-applicable: needs 9 worker nodes, the cluster has 2\n"))
}
