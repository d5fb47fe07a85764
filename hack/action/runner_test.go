// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package action_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"
)

// checkout is the root of the repository, where the action is.
const checkout = "../.."

// composite is a composite action.
type composite struct {
	Inputs map[string]struct {
		Default string `json:"default"`
	} `json:"inputs"`
	Outputs map[string]struct {
		Value string `json:"value"`
	} `json:"outputs"`
	Runs struct {
		Using string `json:"using"`
		Steps []step `json:"steps"`
	} `json:"runs"`
}

// step is a step of a composite action or of a job.
type step struct {
	ID    string            `json:"id"`
	If    string            `json:"if"`
	Uses  string            `json:"uses"`
	Shell string            `json:"shell"`
	Run   string            `json:"run"`
	Env   map[string]string `json:"env"`
	With  map[string]any    `json:"with"`
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	g := NewWithT(t)
	content, err := os.ReadFile(filepath.Join(checkout, path))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(yaml.Unmarshal(content, into)).To(Succeed(), path)
}

// runner runs a composite action as GitHub does, with stand-ins for draconform
// and go, or with a draconform that was built before. Actions that it uses are recorded only.
type runner struct {
	t         *testing.T
	inputs    map[string]string
	env       map[string]string // for the stand-ins
	workspace string
	temp      string
	outputs   map[string]map[string]string // by step
	used      []string
	failed    bool
	logs      string
}

func newRunner(t *testing.T, inputs map[string]string) *runner {
	t.Helper()
	dir := t.TempDir()
	r := &runner{
		t: t, inputs: inputs, workspace: filepath.Join(dir, "workspace"), temp: filepath.Join(dir, "temp"), outputs: map[string]map[string]string{
			"node-image": {"cache-primary-key": "the-key"},
		},
		env: map[string]string{
			"CALLS": filepath.Join(dir, "calls"), "RUN_STATUS": "0", "CREATE_STATUS": "0", "CACHE_STATUS": "0", "NODE_IMAGE_BUILT": "false", "NODE_IMAGE_STATUS": "0", "UNREADY": "0", "UNREADY_STATUS": "1",
		},
	}
	g := NewWithT(t)
	bin := filepath.Join(dir, "bin")
	for _, folder := range []string{r.workspace, r.temp, bin} {
		g.Expect(os.Mkdir(folder, 0o755)).To(Succeed())
	}
	standIn, err := filepath.Abs("testdata/draconform")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.Symlink(standIn, filepath.Join(bin, "draconform"))).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(bin, "go"), []byte("#!/bin/sh\necho \"go $*\" >> \"$CALLS\"\n"), 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(bin, "sleep"), []byte("#!/bin/sh\n"), 0o755)).To(Succeed())
	r.env["PATH"] = bin + string(filepath.ListSeparator) + os.Getenv("PATH")
	return r
}

// use replaces the stand-ins by a real command. It is not built again, and everything
// else that calls go gets the real one.
func (r *runner) use(command string) {
	r.t.Helper()
	g := NewWithT(r.t)
	bin, rest, _ := strings.Cut(r.env["PATH"], string(filepath.ListSeparator))
	goCommand, err := exec.LookPath("go")
	g.Expect(err).NotTo(HaveOccurred())
	for _, name := range []string{"draconform", "go", "sleep"} {
		g.Expect(os.Remove(filepath.Join(bin, name))).To(Succeed())
	}
	g.Expect(os.Symlink(command, filepath.Join(bin, "draconform"))).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(bin, "go"), []byte(builtBefore), 0o755)).To(Succeed())
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		r.env[name] = value
	}
	r.env["PATH"], r.env["GO"] = bin+string(filepath.ListSeparator)+rest, goCommand
}

// builtBefore is a go command that does not build draconform.
const builtBefore = `#!/bin/sh
case "$*" in
*e2e/cmd/draconform) echo "go $*" >> "$CALLS" ;;
*) exec "$GO" "$@" ;;
esac
`

// file writes a file of the workspace.
func (r *runner) file(name string) {
	NewWithT(r.t).Expect(os.WriteFile(filepath.Join(r.workspace, name), []byte("x"), 0o600)).To(Succeed())
}

// run runs the action and returns its outputs.
func (r *runner) run() map[string]string {
	r.t.Helper()
	g := NewWithT(r.t)
	var a composite
	readYAML(r.t, "action.yml", &a)
	for name := range r.inputs {
		g.Expect(a.Inputs).To(HaveKey(name), "an input of the action")
	}
	for name, input := range a.Inputs {
		if _, ok := r.inputs[name]; !ok {
			r.inputs[name] = input.Default
		}
	}
	for _, s := range a.Runs.Steps {
		if r.holds(s.If) {
			r.step(s)
		}
	}
	outputs := map[string]string{}
	for name, output := range a.Outputs {
		outputs[name] = r.expand(output.Value)
	}
	return outputs
}

// holds evaluates the condition of a step: terms joined by &&. Without always(),
// no earlier step may have failed.
func (r *runner) holds(condition string) bool {
	terms := strings.Split(condition, " && ")
	result := !r.failed || slices.Contains(terms, "always()")
	for _, term := range terms {
		if term == "" || term == "always()" {
			continue
		}
		operands := regexp.MustCompile(`^(\S+) (==|!=) '(.*)'$`).FindStringSubmatch(term)
		if operands == nil {
			r.t.Fatalf("the condition %q is not understood by this test", term)
		}
		equal := r.value(operands[1]) == operands[3]
		result = result && equal == (operands[2] == "==")
	}
	return result
}

var expression = regexp.MustCompile(`\${{ (.*?) }}`)

// expand replaces the expressions in a text.
func (r *runner) expand(text string) string {
	return expression.ReplaceAllStringFunc(text, func(found string) string { return r.value(expression.FindStringSubmatch(found)[1]) })
}

// value returns the value of a property of a context.
func (r *runner) value(property string) string {
	path := strings.Split(property, ".")
	root, err := filepath.Abs(checkout)
	NewWithT(r.t).Expect(err).NotTo(HaveOccurred())
	known := map[string]string{"github.action_path": root, "github.action_ref": "", "runner.os": "Linux", "runner.arch": "X64"}
	switch {
	case path[0] == "inputs" && len(path) == 2:
		value, ok := r.inputs[path[1]]
		NewWithT(r.t).Expect(ok).To(BeTrue(), "there is no input %s", path[1])
		return value
	case path[0] == "steps" && len(path) == 4:
		return r.outputs[path[1]][path[3]]
	}
	value, ok := known[property]
	NewWithT(r.t).Expect(ok).To(BeTrue(), "%s is not known to this test", property)
	return value
}

// step runs a step, or records the action that it uses.
func (r *runner) step(s step) {
	g := NewWithT(r.t)
	if s.Uses != "" {
		name, _, _ := strings.Cut(s.Uses, "@")
		r.used = append(r.used, name)
		return
	}
	g.Expect(s.Shell).To(Equal("bash"))
	file := filepath.Join(r.temp, "output")
	cmd := exec.CommandContext(r.t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
	cmd.Dir = r.workspace
	for name, value := range r.env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+r.expand(value))
	}
	cmd.Env = append(cmd.Env, "GITHUB_OUTPUT="+file, "GITHUB_STEP_SUMMARY="+r.summaryFile(), "GITHUB_WORKSPACE="+r.workspace, "RUNNER_TEMP="+r.temp)
	out, err := cmd.CombinedOutput()
	r.logs += string(out)
	r.failed = r.failed || err != nil
	content, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return
	}
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.Remove(file)).To(Succeed())
	outputs := map[string]string{}
	for line := range strings.Lines(string(content)) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		g.Expect(ok).To(BeTrue(), line)
		outputs[name] = value
	}
	if r.outputs[s.ID] == nil {
		r.outputs[s.ID] = map[string]string{}
	}
	maps.Copy(r.outputs[s.ID], outputs)
}

func (r *runner) summaryFile() string { return filepath.Join(r.temp, "summary") }

// summary returns the summary of the job.
func (r *runner) summary() string {
	content, err := os.ReadFile(r.summaryFile())
	NewWithT(r.t).Expect(err).NotTo(HaveOccurred())
	return string(content)
}

// calls returns the commands that were run, with fixed names for what differs
// between runs.
func (r *runner) calls() []string {
	content, err := os.ReadFile(r.env["CALLS"])
	if os.IsNotExist(err) {
		return nil
	}
	NewWithT(r.t).Expect(err).NotTo(HaveOccurred())
	text := string(content)
	if id := filepath.Base(r.outputs["prepare"]["folder"]); len(id) > 4 {
		text = strings.NewReplacer(r.temp, "TEMP", r.workspace, "WORKSPACE", id, "ID", id[len(id)-4:], "XXXX").Replace(text)
	}
	return strings.Split(strings.TrimSpace(text), "\n")
}

// restoreNodeImage leaves an archive where the cache of GitHub restores it.
func (r *runner) restoreNodeImage() {
	g := NewWithT(r.t)
	folder := filepath.Join(r.temp, "draconform")
	g.Expect(os.MkdirAll(folder, 0o755)).To(Succeed())
	g.Expect(os.WriteFile(filepath.Join(folder, "node-image.tar.zst"), nil, 0o600)).To(Succeed())
}
