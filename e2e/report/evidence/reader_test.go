// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence_test

import (
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/compare"
	"github.com/draconform/draconform/e2e/report/evidence"
	"github.com/draconform/draconform/internal/webpage"
)

// with returns a directory with a different content of one file.
func with(t *testing.T, dir fs.FS, name, content string) fs.FS {
	t.Helper()
	changed := maps.Clone(dir.(fstest.MapFS))
	changed[name] = &fstest.MapFile{Data: []byte(content)}
	return changed
}

// The page is accessible to screen readers and keyboards.
func TestPageIsAccessible(t *testing.T) {
	g := NewWithT(t)
	var text strings.Builder
	g.Expect(failed().HTML(t.Context(), &text)).To(Succeed())
	page, err := webpage.Parse(strings.NewReader(text.String()))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(page.Problems()).To(BeEmpty())
	d := rendered(t, failed())
	for _, table := range d.all(atom.Table) {
		g.Expect(table.one(t, atom.Caption).text()).NotTo(BeEmpty())
		for _, th := range table.all(atom.Th) {
			g.Expect(th.attr("scope")).To(Or(Equal("row"), Equal("col")), th.text())
		}
		for _, row := range table.one(t, atom.Tbody).all(atom.Tr) {
			g.Expect(row.all(atom.Th)).To(HaveLen(1), "each row has a header: %s", row.text())
		}
	}
	for _, details := range d.all(atom.Details) {
		g.Expect(details.FirstChild.NextSibling.DataAtom).To(Equal(atom.Summary), "it can be unfolded with the keyboard")
	}
	for _, pre := range d.all(atom.Pre) {
		g.Expect(pre.attr("tabindex")).To(Equal("0"), "it can be scrolled with the keyboard")
	}
	figures := d.all(atom.Figure)
	g.Expect(figures).NotTo(BeEmpty())
	for _, figure := range figures {
		g.Expect(figure.one(t, atom.Figcaption).text()).NotTo(BeEmpty())
		for _, cell := range figure.all(atom.Td) {
			g.Expect(cell.text()).NotTo(BeEmpty(), "what is drawn is in words, too")
		}
	}
	for _, bar := range d.all(atom.I) {
		g.Expect(bar.text()).To(BeEmpty())
		g.Expect(document{bar.Parent}.text()).NotTo(BeEmpty(), "the words next to a bar say the same")
	}
	g.Expect(d.all(atom.Body)[0].all(atom.A)[0].attr("href")).To(Equal("#specs"), "the first link skips the header")
}

// Tables with many columns are not squeezed on narrow screens: the style sheet puts their
// cells below each other, with the name of the column where the cell does not say what it
// is, or they are in a part that scrolls.
func TestTablesFitOnNarrowScreens(t *testing.T) {
	g := NewWithT(t)
	checked := 0
	for _, d := range []document{rendered(t, compared(t)), rendered(t, journeyRun())} {
		for _, table := range d.all(atom.Table) {
			if heads := table.one(t, atom.Tbody).all(atom.Tr)[0].all(atom.Th, atom.Td); len(heads) > 3 {
				checked++
				scrolls := document{table.Parent}.attr("class") == "scroll"
				g.Expect(scrolls || strings.Contains(" "+table.attr("class")+" ", " stacked ") || strings.Contains(table.attr("class"), "specs")).To(BeTrue(), table.one(t, atom.Caption).text())
			}
		}
	}
	g.Expect(checked).To(BeNumerically(">=", 6))
	for _, cell := range rendered(t, compared(t)).section(t, "compared").all(atom.Td) {
		g.Expect(cell.attr("data-of")).NotTo(BeEmpty(), cell.text())
	}
}

// The page is self-contained and loads nothing. Its policy permits exactly its
// own script.
func TestPageIsSelfContained(t *testing.T) {
	g := NewWithT(t)
	d := rendered(t, compared(t))
	g.Expect(d.all(atom.Link, atom.Img, atom.Iframe, atom.Object, atom.Embed, atom.Form, atom.Base)).To(BeEmpty())
	script := d.one(t, atom.Script)
	g.Expect(script.Attr).To(BeEmpty())
	g.Expect(script.FirstChild.Data).NotTo(Or(ContainSubstring("fetch"), ContainSubstring("XMLHttp"), ContainSubstring("import"), ContainSubstring("innerHTML")))
	sum := sha256.Sum256([]byte(script.FirstChild.Data))
	policies := 0
	for _, meta := range d.all(atom.Meta) {
		if meta.attr("http-equiv") == "Content-Security-Policy" {
			policies++
			g.Expect(meta.attr("content")).To(Equal("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"))
		}
	}
	g.Expect(policies).To(Equal(1))
	for _, e := range d.all() {
		for _, a := range e.Attr {
			g.Expect(a.Val).NotTo(ContainSubstring("//"), "attribute %s of %s refers to nothing elsewhere", a.Key, e.Data)
		}
	}
	style := d.one(t, atom.Style).raw()
	g.Expect(style).To(ContainSubstring("prefers-color-scheme: dark"))
	g.Expect(style).NotTo(Or(ContainSubstring("url("), ContainSubstring("@import"), ContainSubstring("ZgotmplZ")))
}

// Without the script, all specs are shown, and the filter, which would have no
// effect, is not. All its fields have labels.
func TestPageWorksWithoutScript(t *testing.T) {
	g := NewWithT(t)
	d := rendered(t, failed())
	filter := d.id(t, "filter")
	hidden := func(e document) bool {
		return slices.ContainsFunc(e.Attr, func(a html.Attribute) bool { return a.Key == "hidden" })
	}
	g.Expect(hidden(filter)).To(BeTrue())
	for _, e := range d.all() {
		g.Expect(hidden(e) && e.DataAtom != atom.Div).To(BeFalse(), "only the filter is hidden")
	}
	fields := filter.all(atom.Input, atom.Select)
	g.Expect(fields).To(HaveLen(3))
	for _, field := range fields {
		g.Expect(field.Parent.DataAtom).To(Equal(atom.Label))
	}
	g.Expect(texts(filter.all(atom.Option))).To(Equal([]string{"all", "passed", "failed", "not-supported", "not-applicable", "skipped", "failed (provisional)", "all", "partitioning"}))
	for _, id := range []string{"words", "outcome", "profile", "clear", "shown"} {
		g.Expect(d.one(t, atom.Script).raw()).To(ContainSubstring(`"`+id+`"`), "the script finds the field")
		d.id(t, id)
	}
}

// hostile is text that must not be interpreted by a page.
const hostile = `<script>alert(1)</script>"'><img src=x onerror=alert(1)></style></pre></details><!--{{.}} javascript:alert(1) | *x* [y](http://z) ` + "```\n# h\n````"

// hostileRun returns a report with hostile text in every field that others
// control.
func hostileRun() report.Report {
	r := failedRun()
	r.Run.ID, r.Run.Version, r.Run.Selection, r.Run.Flags = hostile, hostile, hostile, []string{hostile}
	r.Cluster = report.Cluster{
		Provider: hostile, Name: hostile, GateSet: hostile, Scheduler: hostile, Gates: map[string]bool{hostile: true},
		Components: []report.Component{{Name: "kube-scheduler", Version: hostile, Image: hostile, Emulates: hostile}, {Name: hostile, Version: hostile}},
	}
	r.Subject.Drivers = []string{hostile}
	r.Features = features.Set{hostile: {Source: hostile}}
	r.Verdict.Problem, r.Verdict.Rule = hostile, hostile
	r.Verdict.Profiles = []report.Profile{{Name: hostile, Reason: hostile}}
	for i := range r.Specs {
		s := &r.Specs[i]
		s.Description, s.Profile, s.Component, s.Reason = hostile, hostile, hostile, hostile
		s.Features, s.Steps = []features.Feature{hostile}, []report.Step{{Text: hostile}}
	}
	return r
}

func TestPageEscapesTexts(t *testing.T) {
	g := NewWithT(t)
	// These are all elements of a page without hostile text.
	known := map[string]bool{}
	early := compared(t)
	early.Report.Verdict.Problem = "a problem"
	for _, e := range rendered(t, early).all() {
		known[e.Data] = true
	}
	e := evidence.Evidence{
		Report: hostileRun(), Files: with(t, left, "artifacts/no-room/<script>.log", hostile),
		Requirements: []evidence.RequirementOutcome{{ID: hostile, Statement: hostile, Outcome: hostile, Reason: hostile, Specs: []string{hostile}}},
	}
	c := compare.Runs(failedRun(), e.Report)
	e.Compared = &c
	d := rendered(t, e)
	for _, element := range d.all() {
		g.Expect(known).To(HaveKey(element.Data), "no element comes from a text")
		for _, a := range element.Attr {
			g.Expect(a.Key).NotTo(HavePrefix("on"), "no handler comes from a text")
			g.Expect(a.Val).NotTo(ContainSubstring("alert"), "no text gets into attribute %s", a.Key)
		}
	}
	for n := range d.Descendants() {
		g.Expect(n.Type).NotTo(Equal(html.CommentNode))
	}
	g.Expect(d.id(t, "spec-no-room").all(atom.Pre)[0].raw()).To(Equal(hostile), "the text is unchanged")
	g.Expect(strings.Count(d.raw(), "<script>alert(1)</script>")).To(BeNumerically(">", 40), "in all places")
}

func TestMarkdownEscapesTexts(t *testing.T) {
	g := NewWithT(t)
	var b strings.Builder
	e := evidence.Evidence{Report: hostileRun(), Requirements: []evidence.RequirementOutcome{{ID: hostile, Statement: hostile, Outcome: "not-run", Reason: hostile, Specs: []string{hostile}}}}
	g.Expect(e.Markdown(&b)).To(Succeed())
	fence := ""
	columns := 0
	var headings []string
	for line := range strings.Lines(b.String()) {
		line = strings.TrimSuffix(line, "\n")
		marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence != "":
			// The same number of marks, or more, ends the fence.
			if line == marks && strings.HasPrefix(marks, fence) {
				fence = ""
			}
			continue
		case len(marks) >= 3:
			fence = marks
			continue
		}
		if strings.HasPrefix(line, "## ") {
			headings = append(headings, line)
		}
		g.Expect(strings.ReplaceAll(line, "**failed**", "")).NotTo(MatchRegexp("(^|[^\\\\])[<`*[]"), "no element, code, emphasis or link comes from a text")
		if strings.HasPrefix(line, "|") {
			n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
			g.Expect(columns).To(Or(BeZero(), Equal(n)), "a row has as many cells as its header: %s", line)
			columns = n
		} else {
			columns = 0
		}
	}
	g.Expect(fence).To(BeEmpty(), "every fence ends")
	g.Expect(headings).To(Equal([]string{"## Environment", "## Profiles", "## Specs", "## Failures", "## Failures of provisional specs", "## Requirements", "## How to reproduce"}), "no other headings")
}
