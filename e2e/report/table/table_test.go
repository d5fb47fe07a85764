// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package table_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/published"
	"github.com/draconform/draconform/e2e/report/table"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/internal/webpage"
)

// spec returns a spec of a profile.
func spec(id, profile string, outcome suite.Outcome, needs ...features.Feature) report.Spec {
	return report.Spec{ID: id, Profile: profile, Outcome: outcome, Features: append([]features.Feature{features.Core}, needs...)}
}

// reported returns a published report.
func reported(release, organization, project, mode string, profiles []report.Profile, specs ...report.Spec) published.Report {
	i := report.Implementation{Driver: project + ".example.com", Mode: mode, Organization: organization, Project: project, URL: "https://example.com/" + project, Version: "v1.2.3"}
	directory := strings.ToLower(organization) + "-" + project
	return published.Report{
		Report: report.Report{
			Run:     report.Run{Version: "v0.4.0"},
			Cluster: report.Cluster{Components: []report.Component{{Name: "kube-apiserver", Version: release + ".1"}}},
			Specs:   specs, Verdict: report.Verdict{Result: report.Passed, Profiles: profiles},
		},
		Path: filepath.Join("reports", release, directory, mode+"-v1.2.3-report.yaml"), Release: release, Directory: directory,
		Own: []report.Implementation{i},
	}
}

// reports returns reports of two releases.
func reports() []published.Report {
	driver, parts := report.Profile{Name: "driver", Result: report.Conformant}, report.Profile{Name: "partitioning", Result: report.NotConformant}
	gpu := reported("v1.37", "Example", "gpu", "default", []report.Profile{driver, parts},
		spec("a", "driver", suite.Passed, features.DeviceStatus), spec("b", "driver", suite.Passed), spec("c", "driver", suite.NotApplicable, features.DeviceTaints),
		spec("d", "partitioning", suite.Passed, features.Partitions, features.PrioritizedList), spec("e", "partitioning", suite.Failed, features.Partitions))
	slicing := reported("v1.37", "Example", "gpu", "time-slicing", []report.Profile{{Name: "capacity", Result: report.Undecided}})
	slicing.Others = []report.Implementation{{Driver: "net.other.com", Mode: "default", Organization: "Other", Project: "net", Version: "v2.0.0"}}
	slicing.Features = features.Set{features.DeviceTaints: {Overridden: true}, features.Core: {Present: true}}
	partial := reported("v1.37", "Example", "nic", "default", []report.Profile{driver}, spec("a", "driver", suite.Passed), spec("b", "driver", suite.Skipped))
	partial.Partial, partial.Run.Selection = true, "--labels smoke"
	hostile := reported("v1.37", "<b>Evil</b> | [x](y)", "evil", "`a`", []report.Profile{{Name: "<i>p</i>|", Result: report.Conformant}})
	hostile.Own[0].URL, hostile.Own[0].Driver = "javascript:alert(1)", "\"><script>alert(1)</script>"
	hostile.Path = filepath.Join("reports", "v1.37", "e|vil) [", "a b-report.yaml")
	links := reported("v1.9", "Zeta", "z", "default", []report.Profile{driver}, spec("a", "driver", suite.Passed))
	links.Own[0].URL = "https://example.com/a)|`\" b?q=<c>"
	return []published.Report{partial, hostile, slicing, links, gpu}
}

func compared(t *testing.T, all []published.Report) table.Table {
	t.Helper()
	compared, err := table.New("reports", all)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return compared
}

func TestTable(t *testing.T) {
	g := NewWithT(t)
	got := compared(t, reports())
	g.Expect(got.Releases).To(HaveLen(2))
	g.Expect(got.Releases[0].Release).To(Equal("v1.37"), "the newest first, and not by its text")
	complete, partial := got.Releases[0].Complete, got.Releases[0].Partial
	g.Expect(complete.Profiles).To(Equal([]string{"<i>p</i>|", "capacity", "driver", "partitioning"}))
	var modes []string
	for _, row := range complete.Reports {
		modes = append(modes, row.Organization+" "+row.Mode)
	}
	g.Expect(modes).To(Equal([]string{"<b>Evil</b> | [x](y) `a`", "Example default", "Example time-slicing"}))
	g.Expect(complete.Reports[1].Cells).To(Equal([]table.Cell{
		{Profile: "<i>p</i>|"}, {Profile: "capacity"},
		{Profile: "driver", Result: report.Conformant, Passed: 2, Executable: 2, Features: []features.Feature{features.DeviceStatus}},
		{Profile: "partitioning", Result: report.NotConformant, Passed: 1, Executable: 2, Features: []features.Feature{features.PrioritizedList}},
	}), "a feature is proved if a spec with it passed and none failed")
	g.Expect(complete.Reports[2].Declared).To(Equal([]features.Feature{features.DeviceTaints}))
	g.Expect(partial.Reports).To(HaveLen(1))
	g.Expect(partial.Reports[0].NotComplete).To(Equal("the run excluded specs by --labels smoke"))
	g.Expect(partial.Reports[0].Report).To(Equal("v1.37/example-nic/default-v1.2.3-report.yaml"))
	g.Expect(partial.Reports[0].Cells).To(Equal([]table.Cell{{Profile: "driver", Result: report.Conformant, Passed: 1, Executable: 2}}))
}

func TestTableWithoutReports(t *testing.T) {
	g := NewWithT(t)
	for _, text := range []string{page(t, nil), markdown(t, nil)} {
		g.Expect(text).To(And(ContainSubstring("There are no reports."), Not(ContainSubstring("Each cell"))), "no legend of nothing")
	}
}

func TestTableErrors(t *testing.T) {
	of := reports()[0]
	of.Own = nil
	_, err := table.New("reports", []published.Report{of})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("judges no implementation of its directory")))
}

func markdown(t *testing.T, all []published.Report) string {
	t.Helper()
	var b strings.Builder
	NewWithT(t).Expect(compared(t, all).Markdown(&b)).To(Succeed())
	return b.String()
}

func page(t *testing.T, all []published.Report) string {
	t.Helper()
	var b strings.Builder
	NewWithT(t).Expect(compared(t, all).HTML(&b)).To(Succeed())
	return b.String()
}

// The order in which reports are read does not matter.
func TestRenderingsAreDeterministic(t *testing.T) {
	g := NewWithT(t)
	all := reports()
	text, html := markdown(t, all), page(t, all)
	slices.Reverse(all)
	g.Expect(markdown(t, all)).To(Equal(text))
	g.Expect(page(t, all)).To(Equal(html))
}

func TestMarkdown(t *testing.T) {
	g := NewWithT(t)
	text := markdown(t, reports())
	for _, line := range []string{
		"## Kubernetes v1.37", "| implementation | report | \\<i\\>p\\</i\\>\\| | capacity | driver | partitioning |",
		"| [Example gpu](https://example.com/gpu)<br>gpu.example.com | [v1.2.3, mode default](./v1.37/example-gpu/default-v1.2.3-report.yaml)<br>Kubernetes v1.37.1 | " +
			"no specs | no specs | ✓ conformant<br>2 of 2<br>device-status | ✗ not-conformant<br>1 of 2<br>prioritized-list |",
		"| [Example gpu](https://example.com/gpu)<br>gpu.example.com | [v1.2.3, mode time-slicing](./v1.37/example-gpu/time-slicing-v1.2.3-report.yaml)<br>Kubernetes v1.37.1<br>" +
			"together with net.other.com: Other net v2.0.0, mode default<br>features declared by the caller: device-taints | no specs | ! undecided<br>0 of 0 | no specs | no specs |",
		"## Kubernetes v1.37, partial reports", "These runs did not cover all specs. They are not comparable with complete ones.",
		"| [Example nic](https://example.com/nic)<br>nic.example.com | [v1.2.3, mode default](./v1.37/example-nic/default-v1.2.3-report.yaml)<br>Kubernetes v1.37.1<br>" +
			"the run excluded specs by --labels smoke | ✓ conformant<br>1 of 2 |",
		"## Kubernetes v1.9",
	} {
		g.Expect(text).To(ContainSubstring("\n"+line+"\n"), line)
	}
}

// The page is accessible to screen readers and keyboards, also without reports.
func TestHTMLIsAccessible(t *testing.T) {
	g := NewWithT(t)
	for _, all := range [][]published.Report{reports(), nil} {
		p, err := webpage.Parse(strings.NewReader(page(t, all)))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(p.Problems()).To(BeEmpty())
	}
}

// Texts of reports are neither markup nor the destination of a script.
func TestHTMLIsEscaped(t *testing.T) {
	g := NewWithT(t)
	text := page(t, reports())
	root, err := html.Parse(strings.NewReader(text))
	g.Expect(err).NotTo(HaveOccurred())
	var links []string
	for node := range root.Descendants() {
		g.Expect(node.DataAtom).NotTo(BeElementOf(atom.Script, atom.I), node.Data)
		g.Expect(node.DataAtom == atom.B && len(node.Attr) == 0).To(BeFalse(), "an outcome has a class")
		for _, a := range node.Attr {
			if a.Key == "href" {
				links = append(links, a.Val)
			}
		}
	}
	g.Expect(links).To(ContainElements(
		"https://example.com/gpu", "./v1.37/example-gpu/time-slicing-v1.2.3-report.yaml", "./v1.37/e%7Cvil%29%20%5B/a%20b-report.yaml",
		"https://example.com/a%29%7c%60%22%20b?q=%3cc%3e",
	))
	g.Expect(links).NotTo(ContainElement(ContainSubstring("javascript")))
	g.Expect(text).NotTo(ContainSubstring("ZgotmplZ"))
}

// Texts of reports neither end a cell nor begin a link, and each row has as
// many cells as its header.
func TestMarkdownIsEscaped(t *testing.T) {
	g := NewWithT(t)
	text := markdown(t, reports())
	g.Expect(text).To(ContainSubstring(`| \<b\>Evil\</b\> \| \[x\](y) evil<br>"\>\<script\>alert(1)\</script\> |`))
	g.Expect(text).To(ContainSubstring("](https://example.com/a%29%7C%60%22%20b?q=%3Cc%3E)<br>"))
	g.Expect(text).To(ContainSubstring("](./v1.37/e%7Cvil%29%20%5B/a%20b-report.yaml)"))
	g.Expect(text).NotTo(ContainSubstring("javascript"))
	columns := 0
	for line := range strings.Lines(text) {
		separators := strings.Count(line, "|") - strings.Count(line, `\|`)
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = 0
		case columns == 0:
			columns = separators
		default:
			g.Expect(separators).To(Equal(columns), line)
		}
	}
}
