// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package published_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/published"
	"github.com/draconform/draconform/e2e/suite"
)

func TestValidReports(t *testing.T) {
	g := NewWithT(t)
	nic := func(r *report.Report) {
		nic := driver()
		nic.Driver, nic.Mode = "nic.example.com", "shared"
		other := report.Implementation{
			Driver: "net.other.com", Mode: "default", Organization: "Other", Project: "net", URL: "http://other.com", Version: "sha256:" + strings.Repeat("0", 64), Contact: []string{"x"},
		}
		r.Subject.Implementations = append(r.Subject.Implementations, nic, other)
		r.Subject.Drivers = append(r.Subject.Drivers, nic.Driver, other.Driver)
	}
	failed := func(r *report.Report) {
		r.Subject.Implementations[0].Mode = "Time slicing"
		r.Specs[0].Outcome, r.Verdict.Result, r.Verdict.Profiles[0].Result = suite.Failed, report.Failed, report.NotConformant
	}
	partial := func(r *report.Report) {
		r.Subject.Implementations[0].Mode = "other"
		r.Run.Selection, r.Run.Flags = `--focus "f"`, append(r.Run.Flags, "--focus", "f")
	}
	files := valid(t).with(tree{
		project + "default-shared-v1.2.3-report.yaml":    content(t, run(nic)),
		project + "time-slicing-v1.2.3-report.yaml":      content(t, run(failed)),
		project + "partial/other-v1.2.3-report.yaml":     content(t, run(partial)),
		project + "gpu.yaml":                             "kind: Driver\n",
		manual:                                           readme + "    draconform run --focus=f --provider existing --driver gpu.yaml\n",
		"README.md":                                      "All reports.\n",
		"v1.37/.hidden/report.yaml":                      "",
		strings.Replace(complete, "v1.37/", "v1.36/", 1): content(t, run(func(r *report.Report) { r.Cluster.Components[0].Version = "v1.36.3" })),
		strings.Replace(manual, "v1.37/", "v1.36/", 1):   readme,
	})
	g.Expect(files.problems(t)).To(BeEmpty())

	dir := files.write(t)
	for path, want := range map[string]int{"": 5, "v1.37": 4, project: 4, "v1.36": 1} {
		reports, problems, err := published.Read(filepath.Join(dir, path))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(problems).To(BeEmpty())
		g.Expect(reports).To(HaveLen(want), path)
	}
	t.Chdir(filepath.Join(dir, project))
	reports, problems, err := published.Read(".")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(problems).To(BeEmpty())
	g.Expect(reports).To(HaveLen(4))
	g.Expect(reports[0].Mode()).To(Equal("default-shared"))
	g.Expect(reports[0].Own).To(HaveLen(2))
	g.Expect(reports[0].Others).To(HaveLen(1))
	g.Expect(reports[3].Partial).To(BeTrue())
}

// Each rule is violated alone, and nothing else is reported.
func TestProblems(t *testing.T) {
	changed := func(change func(*report.Report)) tree { return tree{complete: content(t, run(change))} }
	own := func(change func(*report.Implementation)) tree {
		return changed(func(r *report.Report) { change(&r.Subject.Implementations[0]) })
	}
	partial := project + "partial/default-v1.2.3-report.yaml"
	other := project + "other-v1.2.3-report.yaml"
	for name, test := range map[string]struct {
		files tree
		file  string
		found string
		fix   string
	}{
		"an edit":            {tree{complete: strings.Replace(content(t, run()), "It fits.", "It fits well.", 1)}, complete, "was changed after the run: its content has the digest sha256:", "as the run wrote it"},
		"no digest":          {tree{complete: strings.Replace(content(t, run()), "digest:", "#", 1)}, complete, "has no digest", "as the run wrote it"},
		"no YAML":            {tree{complete: "kind: ["}, complete, "is not a report of a run: ", "as the run wrote it"},
		"another kind":       {tree{complete: "apiVersion: v1\nkind: Pod\n"}, complete, `it has kind "Pod" of version "v1"`, "as the run wrote it"},
		"another version":    {tree{complete: strings.Replace(content(t, run()), "v1alpha1", "v1", 1)}, complete, `of version "draconform.dev/v1"`, "as the run wrote it"},
		"an unknown field":   {tree{complete: content(t, run()) + "approved: true\n"}, complete, `unknown field "approved"`, "as the run wrote it"},
		"fake drivers":       {changed(func(r *report.Report) { r.Subject = report.Subject{Drivers: []string{}, Installed: true} }), complete, "has no implementation", "with the file of your driver"},
		"an unknown driver":  {changed(func(r *report.Report) { r.Subject.Drivers = append(r.Subject.Drivers, "x.com") }), complete, "driver x.com has no implementation", "in the driver file"},
		"no url and contact": {own(func(i *report.Implementation) { i.URL, i.Contact = "", []string{" "} }), complete, "the implementation of driver gpu.example.com lacks url, contact", "in the driver file"},
		"a script for a url": {own(func(i *report.Implementation) { i.URL = "javascript:alert(1)" }), complete, `the url "javascript:alert(1)" of driver gpu.example.com is no web page`, "in the driver file"},
		"a branch":           {tree{complete: "", project + "default-main-report.yaml": content(t, run(func(r *report.Report) { r.Subject.Implementations[0].Version = "main" }))}, project + "default-main-report.yaml", `version "main" is a branch`, "tag, commit or image digest"},
		"two versions": {tree{complete: "", project + "default-a-v1.2.3-report.yaml": content(t, run(func(r *report.Report) {
			i := driver()
			i.Mode, i.Version = "a", "v1.2.4"
			r.Subject.Implementations = append(r.Subject.Implementations, i)
		}))}, project + "default-a-v1.2.3-report.yaml", "has the versions v1.2.3 and v1.2.4 of example-inc-gpu-driver", "of one version"},
		"another directory":    {own(func(i *report.Implementation) { i.Project = "Ünit 2" }), complete, "is in the directory example-inc-gpu-driver, and judges another implementation", "move it to the directory example-inc-nit-2"},
		"another mode":         {own(func(i *report.Implementation) { i.Mode = "MIG" }), complete, "has the name default-v1.2.3-report.yaml, and judges mode MIG of version v1.2.3", "rename it to mig-v1.2.3-report.yaml"},
		"another release":      {changed(func(r *report.Report) { r.Cluster.Components[0].Version = "v1.36.3" }), complete, "is in the directory v1.37, and its cluster had Kubernetes v1.36.3", "move it to the directory v1.36"},
		"no release":           {changed(func(r *report.Report) { r.Cluster.Components = nil }), complete, "does not say which Kubernetes release", "the version of the API server"},
		"no specs":             {changed(func(r *report.Report) { r.Specs = nil }), complete, "has no specs", "that ran specs"},
		"a selection":          {changed(func(r *report.Report) { r.Run.Selection = "--labels x" }), complete, "is not complete: the run excluded specs by --labels x", "move it to the directory partial"},
		"an early end":         {changed(func(r *report.Report) { r.Verdict.Result = report.Incomplete }), complete, "is not complete: the run ended early", "move it to the directory partial"},
		"a failure and an end": {changed(func(r *report.Report) { r.Verdict.Result, r.Verdict.Problem = report.Failed, "no node" }), complete, "is not complete: the run ended early", "move it to the directory partial"},
		"a skipped spec":       {changed(func(r *report.Report) { r.Specs[0].Outcome = suite.Skipped }), complete, "is not complete: 1 of 1 specs were not completed", "move it to the directory partial"},
		"complete in partial":  {tree{complete: "", partial: content(t, run())}, partial, "is complete", "move it to the directory above partial"},
		"a mode twice":         {tree{project + "default-v1.2.4-report.yaml": content(t, run(func(r *report.Report) { r.Subject.Implementations[0].Version = "v1.2.4" }))}, project + "default-v1.2.4-report.yaml", "has the mode default, as ", "one report for each mode"},
		"a stray report":       {tree{project + "report.yaml": content(t, run())}, project + "report.yaml", "is a report, and is not published under this name", "move it to "},
		"a report at the top":  {tree{"other.yml": content(t, run())}, "other.yml", "is a report, and is not published under this name", "move it to "},
		"a folder":             {tree{project + "logs/a": "x"}, project + "logs", "is not part of the layout", "move it elsewhere"},
		"a folder in partial":  {tree{project + "partial/logs/a": "x"}, project + "partial/logs", "is not part of the layout", "move it elsewhere"},
		"no release's folder":  {tree{"latest/a/b": "x"}, "latest", "is not the directory of a Kubernetes release", "name it like v1.37"},
		"no report":            {tree{"v1.37/a-b/README.md": "# x\n## Reproduce\n"}, "v1.37/a-b", "has no report", "<mode>-<version>-report.yaml"},
		"no README":            {tree{manual: ""}, manual, "no such file or directory", `with a section "Reproduce"`},
		"no section":           {tree{manual: "# GPU driver\n\n```\ndraconform run --provider existing --driver gpu.yaml\n```\n"}, manual, `has no section "Reproduce"`, "add it"},
		"no command":           {tree{manual: "# Reproduce\n"}, manual, "has the flags of default-v1.2.3-report.yaml", "add: draconform run --provider existing --context private --driver work/gpu.yaml"},
		"another command": {tree{other: content(t, run(func(r *report.Report) {
			r.Subject.Implementations[0].Mode, r.Run.Flags = "other", []string{"--timeout-scale", "2"}
		}))}, manual, "has the flags of other-v1.2.3-report.yaml", "add: draconform run --timeout-scale 2"},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(valid(t).with(test.files).problems(t)).To(ConsistOf(And(
				HaveField("File", test.file), HaveField("Found", ContainSubstring(test.found)), HaveField("Fix", ContainSubstring(test.fix)),
			)))
		})
	}
}

func TestReadErrors(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	_, _, err := published.Read(filepath.Join(dir, "none"))
	g.Expect(err).To(MatchError(os.ErrNotExist))
	_, _, err = published.Read(dir)
	g.Expect(err).To(MatchError(ContainSubstring("has no directory of a Kubernetes release such as v1.37, and is not in one")))
}

// A report in a directory that cannot be a part of the layout is a problem and
// no panic.
func FuzzRead(f *testing.F) {
	f.Add("default", "v1.2.3", "Example, Inc.", "GPU driver", "# Reproduce\n```\ndraconform run\n```")
	f.Add("", "..", "\x00", "../../x", "- # Reproduce\n      draconform run $((1/0)) ${a:?} $(b) <(c) {1..3}")
	f.Fuzz(func(t *testing.T, mode, version, organization, project, readme string) {
		files := tree{complete: content(t, run(func(r *report.Report) {
			i := &r.Subject.Implementations[0]
			i.Mode, i.Version, i.Organization, i.Project = mode, version, organization, project
		})), manual: readme + "\n"}
		files.problems(t)
	})
}
