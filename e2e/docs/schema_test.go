// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/docs"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/subject"
	workload "github.com/draconform/draconform/e2e/workload/report"
	"github.com/draconform/draconform/internal/rules"
)

func TestSchemasAreUpToDate(t *testing.T) {
	g := NewWithT(t)
	var published []string
	for _, of := range slices.Concat(docs.Formats(), docs.Outputs()) {
		want, err := docs.Schema(folder, of)
		g.Expect(err).NotTo(HaveOccurred())
		content, err := os.ReadFile(filepath.Join(folder, "schema", of.File))
		g.Expect(err).NotTo(HaveOccurred())
		if string(content) != want {
			t.Errorf("docs/schema/%s is not what its types say: run \"make docs\"", of.File)
		}
		published = append(published, of.File)
	}
	for _, pattern := range []string{"*.json", "*/*"} {
		files, err := filepath.Glob(filepath.Join(folder, "schema", pattern))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(files).NotTo(BeEmpty())
		for _, file := range files {
			name, err := filepath.Rel(filepath.Join(folder, "schema"), file)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(published).To(ContainElement(filepath.ToSlash(name)), "a schema that nothing writes")
		}
	}
}

// The page of formats has every schema.
func TestPageOfFormats(t *testing.T) {
	g := NewWithT(t)
	page, err := os.ReadFile(filepath.Join(folder, "formats.md"))
	g.Expect(err).NotTo(HaveOccurred())
	for _, of := range slices.Concat(docs.Formats(), docs.Outputs()) {
		g.Expect(string(page)).To(ContainSubstring("(schema/" + of.File + ")"))
		g.Expect(string(page)).To(ContainSubstring(of.Command))
	}
}

// validate validates YAML or JSON with a published schema.
func validate(t *testing.T, file, content string) error {
	t.Helper()
	g := NewWithT(t)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(filepath.Join(folder, "schema", file))
	g.Expect(err).NotTo(HaveOccurred())
	// In YAML 1.2, which editors use, yes and no are texts.
	var value any
	g.Expect(yaml.Unmarshal([]byte(content), &value)).To(Succeed())
	return schema.Validate(value)
}

// valid are examples of each format.
func valid(t *testing.T) map[string][]string {
	t.Helper()
	g := NewWithT(t)
	all := map[string][]string{}
	for _, name := range subject.FakeFiles() {
		content, err := subject.FakeFile(name)
		g.Expect(err).NotTo(HaveOccurred())
		all["driver.v1alpha1.json"] = append(all["driver.v1alpha1.json"], string(content))
	}
	all["report.v1alpha1.json"] = reports(t)
	line, err := sigsyaml.Marshal(workload.New(os.Environ(), t.TempDir()))
	g.Expect(err).NotTo(HaveOccurred())
	all["devices.v1alpha2.json"] = []string{string(line)}
	page, err := os.ReadFile(filepath.Join(folder, "sharing-affinity.md"))
	g.Expect(err).NotTo(HaveOccurred())
	for _, found := range regexp.MustCompile(`draconform.dev/sharing-affinity: '(.*)'`).FindAllStringSubmatch(string(page), -1) {
		all["sharing-affinity.json"] = append(all["sharing-affinity.json"], found[1])
	}
	readme, err := os.ReadFile(filepath.Join(folder, "../allocator/scheduler/README.md"))
	g.Expect(err).NotTo(HaveOccurred())
	for _, found := range regexp.MustCompile(`(?m)^    args:\n((?:      .*\n)+)`).FindAllStringSubmatch(string(readme), -1) {
		all["scheduler-args.json"] = append(all["scheduler-args.json"], found[1])
	}
	return all
}

// reports are the reports in the tests of the command and of package report, and
// one of a run that ended before it had anything.
func reports(t *testing.T) []string {
	t.Helper()
	g := NewWithT(t)
	dir := t.TempDir()
	_, err := report.Report{Run: report.Run{ID: "r"}, Verdict: report.NewVerdict(nil, nil, os.ErrDeadlineExceeded)}.Write(dir)
	g.Expect(err).NotTo(HaveOccurred())
	var all []string
	for _, path := range []string{"../report/testdata/report.yaml", filepath.Join(dir, report.File)} {
		content, err := os.ReadFile(path)
		g.Expect(err).NotTo(HaveOccurred())
		all = append(all, string(content))
	}
	for _, name := range []string{"report", "report-publish"} {
		archive, err := txtar.ParseFile("../cmd/draconform/testdata/script/" + name + ".txtar")
		g.Expect(err).NotTo(HaveOccurred())
		for _, f := range archive.Files {
			if _, err := report.Decode(f.Name, f.Data); strings.HasSuffix(f.Name, "report.yaml") && err == nil {
				all = append(all, string(f.Data))
			}
		}
	}
	g.Expect(len(all)).To(BeNumerically(">", 5))
	return all
}

func TestExamplesSatisfyTheirSchemas(t *testing.T) {
	examples := valid(t)
	for _, of := range docs.Formats() {
		t.Run(of.File, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(examples[of.File]).NotTo(BeEmpty())
			for _, example := range examples[of.File] {
				g.Expect(validate(t, of.File, example)).To(Succeed(), example)
			}
		})
	}
}

func TestSchemasReject(t *testing.T) {
	const (
		driver  = "apiVersion: draconform.dev/v1alpha1\nkind: Driver\nname: gpu.example.com\n"
		devices = "apiVersion: draconform.dev/v1alpha2\nkind: Devices\n"
	)
	NewWithT(t).Expect(validate(t, "driver.v1alpha1.json", driver+"timeouts: {podStart: 1m30s}\ncapabilities: {cdi: no}")).To(Succeed())
	for file, contents := range map[string]map[string]string{
		"driver.v1alpha1.json": {
			"a missing name":          "apiVersion: draconform.dev/v1alpha1\nkind: Driver",
			"another version":         "apiVersion: draconform.dev/v2\nkind: Driver\nname: a",
			"a misspelt field":        driver + "role: {}",
			"a misspelt nested field": driver + "roles: {exclusive: {device: {klass: gpu}}}",
			"an embedded field":       driver + "containers: [{environment: {}}]",
			"an unknown answer":       driver + "capabilities: {cdi: perhaps}",
			"an unknown feature":      driver + "roles: {exclusive: {device: {class: gpu}, features: [gpus]}}",
			"a number for a time":     driver + "timeouts: {podStart: 60}",
			"a text for a list":       driver + "containers: metadata",
		},
		"report.v1alpha1.json": {
			"another kind":        changedReport(t, "kind: Report", "kind: Driver"),
			"another version":     changedReport(t, "apiVersion: draconform.dev/v1alpha1", "apiVersion: draconform.dev/v2"),
			"an unknown verdict":  changedReport(t, "result: failed", "result: excellent"),
			"an unknown outcome":  changedReport(t, "outcome: failed", "outcome: waived"),
			"an unknown field":    changedReport(t, "provider: kind", "provider: kind\n  masters: 1"),
			"an unknown feature":  changedReport(t, "features:\n  core:", "features:\n  cores:"),
			"no time":             changedReport(t, `started: "2026-03-01T12:00:00Z"`, "started: yesterday"),
			"a duration in words": changedReport(t, "duration: 1m15s", "duration: long"),
			"a number in words":   changedReport(t, "workers: 4", "workers: four"),
		},
		"devices.v1alpha2.json": {
			"an old version":   "apiVersion: draconform.dev/v1alpha1\nkind: Devices\n",
			"an unknown field": devices + "gpus: []",
			"a nameless one":   devices + "interfaces: [{address: a}]",
		},
		"sharing-affinity.json": {
			"no keys":                `{"a": {"attributeKeys": []}}`,
			"a key twice":            `{"a": {"attributeKeys": ["a.example/b", "a.example/b"]}}`,
			"too many keys":          `{"a": {"attributeKeys": ["a/a", "a/b", "a/c", "a/d", "a/e", "a/f", "a/g", "a/h", "a/i"]}}`,
			"another field":          `{"a": {"attributeKey": ["a.example/b"]}}`,
			"keys without a device":  `{"attributeKeys": ["a.example/b"]}`,
			"a list instead of keys": `{"a": ["a.example/b"]}`,
		},
		"scheduler-args.json": {"a misspelt field": "filterTimeouts: 10s", "a number for a time": "filterTimeout: 10", "a text for a switch": `sharingAffinity: "on"`},
	} {
		for name, content := range contents {
			t.Run(file+", "+name, func(t *testing.T) {
				g := NewWithT(t)
				g.Expect(validate(t, file, content)).NotTo(Succeed())
				if file == "sharing-affinity.json" {
					_, err := rules.ParseAffinity(content)
					g.Expect(err).To(HaveOccurred(), "the rulebook rejects it, too")
				}
			})
		}
	}
}

// changedReport returns a report with a changed part.
func changedReport(t *testing.T, from, to string) string {
	t.Helper()
	g := NewWithT(t)
	all := reports(t)
	i := slices.IndexFunc(all, func(r string) bool { return strings.Contains(r, from) })
	g.Expect(i).To(BeNumerically(">=", 0), from)
	return strings.Replace(all[i], from, to, 1)
}
