// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/cobra"

	"github.com/draconform/draconform/e2e/docs"
)

// docsFolder has the published schemas.
const docsFolder = "../../../docs"

// outputs are commands by the file of the schema of what they print. Those that change a
// running cluster, or show one, print the state of one in memory.
var outputs = map[string][]string{
	"allocate":        {"allocate -f slices.yaml -f classes.yaml -f claim.yaml", "allocate -f slices.yaml -f classes.yaml -f many.yaml"},
	"cache-list":      {"cache list --cache cache"},
	"clean":           {"clean --provider existing --kubeconfig left --dry-run"},
	"cluster-list":    {"cluster list"},
	"cluster-status":  nil,
	"cluster-upgrade": nil,
	"doctor":          {"doctor"},
	"driver-check":    {"driver check gpu.yaml nic.yaml", "driver check my-driver.yaml --live"},
	"driver-show":     {"driver show"},
	"explain-pod":     {"explain pod p --namespace team --kubeconfig live", "explain pod train-0"},
	"images-list":     {"images list --image-registry registry.example.com/dra"},
	"lint":            {"lint -f wrong.yaml"},
	"lint-rules":      {"lint --rules"},
	"list":            {"list"},
	"pools":           {"pools --kubeconfig live"},
	"releases":        {"releases"},
	"report-compare":  {"report now before", "report before now"},
	"report-table":    {"report table reports"},
	"report-untried":  {"report untried before now"},
	"report-verify":   {"report verify reports/v1.37/example-gpu-driver", "report verify bad"},
	"requirements":    {"requirements"},
	"run":             {"run --dry-run --provider existing", "run --dry-run --driver my-driver.yaml"},
	"skew":            {"skew --dry-run"},
	"version":         {"version"},
}

// Every command with the format JSON has a schema.
func TestEveryListingHasASchema(t *testing.T) {
	g := NewWithT(t)
	var documented []string
	for _, of := range docs.Outputs() {
		g.Expect(outputs).To(HaveKey(strings.TrimSuffix(filepath.Base(of.File), ".json")))
		name, _, _ := strings.Cut(of.Command, " --")
		documented = append(documented, strings.TrimSuffix(name, " DIR DIR"))
	}
	g.Expect(outputs).To(HaveLen(len(docs.Outputs())))
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		name := cmd.CommandPath()
		switch name {
		case "draconform cluster downgrade", "draconform cluster gates", "draconform cluster scheduler":
			name = "draconform cluster upgrade" // Its relatives.
		}
		if f := cmd.Flags().Lookup("output"); f != nil && strings.Contains(f.Usage, "json") {
			g.Expect(documented).To(ContainElement(name))
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newCommand())
}

// What commands print satisfies the published schema, and has no field that it lacks.
func TestOutputsSatisfyTheirSchemas(t *testing.T) {
	schemas := map[string][]*jsonschema.Schema{}
	for _, of := range docs.Outputs() {
		schemas[strings.TrimSuffix(filepath.Base(of.File), ".json")] = []*jsonschema.Schema{publishedSchema(t, of.File), closedSchema(t, of)}
	}
	outputFolder(t)
	for name, lines := range outputs {
		printed := map[string][]byte{}
		for _, line := range lines {
			printed[line] = printedBy(t, strings.Fields(line)...)
		}
		switch name {
		case "cluster-status":
			printed["a mixed cluster"] = printedAs(t, statuses(running(t, "1.37", map[string]string{"kubelet/w1": "1.34"})))
		case "cluster-upgrade":
			steps, err := move(t, up, "1.37", nil).plan(running(t, "1.36", nil))
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			printed["an upgrade"] = printedAs(t, plannedChange{plannedSteps(steps), &plannedImage{Version: "1.37.2", Name: "kindest/node:v1.37.2"}})
			printed["nothing"] = printedAs(t, plannedChange{Steps: plannedSteps(nil)})
		}
		for line, content := range printed {
			t.Run(name+", "+line, func(t *testing.T) {
				g := NewWithT(t)
				value, err := jsonschema.UnmarshalJSON(bytes.NewReader(content))
				g.Expect(err).NotTo(HaveOccurred(), "%s", content)
				g.Expect(value).NotTo(BeEmpty(), "it is an example of the output")
				for _, schema := range schemas[name] {
					g.Expect(schema.Validate(value)).To(Succeed())
				}
			})
		}
	}
}

// An output of a later version may have more fields, and must have those of this one.
func TestSchemasOfOutputsAreOpen(t *testing.T) {
	g := NewWithT(t)
	releases := docs.Outputs()[slices.IndexFunc(docs.Outputs(), func(of docs.Format) bool { return of.Command == "draconform releases" })]
	schema := publishedSchema(t, releases.File)
	for content, want := range map[string]bool{
		`[{"minor": "1.37", "version": "1.37.2", "etcd": "3.6"}]`: true,
		`[]`:                                     true,
		`[{"minor": "1.37"}]`:                    false,
		`[{"minor": 1.37, "version": "1.37.2"}]`: false,
		`null`:                                   false,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(content))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(schema.Validate(value) == nil).To(Equal(want), content)
	}
}

// publishedSchema returns a schema in docs.
func publishedSchema(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	schema, err := compiler.Compile(filepath.Join(docsFolder, "schema", filepath.FromSlash(file)))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return schema
}

// closedSchema returns the schema that permits no other fields.
func closedSchema(t *testing.T, of docs.Format) *jsonschema.Schema {
	t.Helper()
	g := NewWithT(t)
	content, err := docs.Schema(docsFolder, of.Closed())
	g.Expect(err).NotTo(HaveOccurred())
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(content))
	g.Expect(err).NotTo(HaveOccurred())
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	g.Expect(compiler.AddResource("closed.json", value)).To(Succeed())
	schema, err := compiler.Compile("closed.json")
	g.Expect(err).NotTo(HaveOccurred())
	return schema
}

// outputFolder changes to a folder with the files that the commands read.
func outputFolder(t *testing.T) {
	t.Helper()
	g := NewWithT(t)
	dir := exampleFolder(t)
	write := func(name, content string) {
		path := filepath.Join(dir, name)
		g.Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(path, []byte(content), 0o755)).To(Succeed())
	}
	for _, script := range []string{"report", "report-publish"} {
		for _, file := range readArchive(t, "testdata/script/"+script+".txtar") {
			write(file.Name, string(file.Data))
		}
	}
	changed := func(name, from, to string) string {
		content, err := os.ReadFile(filepath.Join(dir, name))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(content)).To(ContainSubstring(from))
		return strings.Replace(string(content), from, to, 1)
	}
	write("many.yaml", changed("claim.yaml", "count: 1", "count: 5"))
	write("wrong.yaml", changed("slices.yaml", "resourceSliceCount: 1", "resourceSliceCount: 0"))
	write("cache/layers-0123456789ab/layers", "x")
	write("docker", "#!/bin/sh\ncase \"$1\" in\n--version) echo 'Docker version 28.2.2, build e6534b4';;\nversion) echo 28.2.2;;\nps) echo 'mine;r1;mine-control-plane;running';;\n*) exit 1;;\nesac\n")
	g.Expect(writeKubeconfig(filepath.Join(dir, "live"), serveCluster(t, true, podWith("many"), claimOf("many", 5)))).To(Succeed())
	g.Expect(writeKubeconfig(filepath.Join(dir, "left"), serveCluster(t, true, leftovers()...))).To(Succeed())
	t.Chdir(dir)
	t.Setenv("PATH", dir)
	t.Setenv("DRACONFORM_ENGINE", "docker")
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "user-cache"))
	t.Setenv("KUBECONFIG", filepath.Join(dir, "kubeconfig"))
}

// printedBy returns what a command prints as JSON. It may fail for what it has found.
func printedBy(t *testing.T, args ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	root := newCommand()
	root.SetArgs(append(args, "-o", "json"))
	root.SetOut(&out)
	root.SetErr(&bytes.Buffer{})
	err := root.ExecuteContext(t.Context())
	NewWithT(t).Expect(exitStatus(err)).To(BeElementOf(0, exitFailed), "%v: %v", args, err)
	return out.Bytes()
}

// printedAs returns a value as a command prints it as JSON.
func printedAs(t *testing.T, value any) []byte {
	t.Helper()
	var out bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetOut(&out)
	done, err := printStructured(cmd, "json", value)
	NewWithT(t).Expect(done).To(BeTrue())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return out.Bytes()
}
