// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/specs"
)

// Readers copy commands from the documentation and from the help.
func TestCommandsOfTheDocumentationExist(t *testing.T) {
	g := NewWithT(t)
	pages, err := filepath.Glob("../../../docs/*.md")
	g.Expect(err).NotTo(HaveOccurred())
	pages = append(pages, "../../../README.md", "../../../CONTRIBUTING.md", "../../../hack/site/content/_index.md")
	targets := readMakefile(t)
	checked := 0
	for _, page := range pages {
		content, err := os.ReadFile(page)
		g.Expect(err).NotTo(HaveOccurred())
		for _, e := range examplesIn(content) {
			calls, err := e.calls()
			if err != nil {
				t.Errorf("%s: %s: %s", page, e.text, err)
			}
			for _, call := range calls {
				checked++
				if err := checkCall(call, targets, e.inline); err != nil {
					t.Errorf("%s: %s: %s", page, e.text, err)
				}
			}
		}
	}
	g.Expect(checked).To(BeNumerically(">", 200), "commands in %d pages", len(pages))
}

// Every command that does something shows how.
func TestCommandsHaveExamples(t *testing.T) {
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		if cmd.Runnable() && !cmd.HasSubCommands() && !cmd.Hidden {
			NewWithT(t).Expect(cmd.Example).To(HavePrefix("  "), cmd.CommandPath())
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newCommand())
}

func TestExamplesOfTheHelpExist(t *testing.T) {
	targets := readMakefile(t)
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		for _, e := range commandLines(cmd.Example) {
			calls, err := e.calls()
			if err != nil {
				t.Errorf("%s: %s: %s", cmd.CommandPath(), e.text, err)
			}
			for _, call := range calls {
				if err := checkCall(call, targets, false); err != nil {
					t.Errorf("%s: %s: %s", cmd.CommandPath(), e.text, err)
				}
			}
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newCommand())
}

func TestWrongExamplesAreFound(t *testing.T) {
	targets := makefile{targets: []string{"e2e"}, variables: []string{"GATES"}}
	for line, want := range map[string]string{
		"draconform rum":                                          "unknown argument",
		"draconform run --labls smoke":                            "unknown flag: --labls",
		"bin/draconform cluster list now":                         `unknown argument "now"`,
		"kubectl draconform driver check":                         "takes driver files",
		"draconform run --parallel many":                          "invalid argument",
		"draconform run --id no-such-spec":                        `there is no "no-such-spec"`,
		"draconform run --profile partitioning,nothing":           `there is no "nothing"`,
		"draconform skew --id no-such-journey":                    `there is no "no-such-journey"`,
		"draconform list -o toml":                                 `output format "toml" is not known`,
		"draconform job run --driver a.yaml -- --workload-imag b": "unknown flag: --workload-imag",
		"draconform driver init | draconform driver chek -":       "unknown argument",
		"make e3e":            "there is no target e3e",
		"make e2e GATE=alpha": "there is no variable GATE",
		"kubectl get pods && draconform lint --file a":                  "unknown flag: --file",
		"draconform run --driver a.yaml \\\n  --no-such-flag # comment": "unknown flag: --no-such-flag",
	} {
		t.Run(line, func(t *testing.T) {
			g := NewWithT(t)
			var problems []string
			for _, e := range commandLines(line) {
				calls, err := e.calls()
				g.Expect(err).NotTo(HaveOccurred())
				for _, call := range calls {
					if err := checkCall(call, targets, false); err != nil {
						problems = append(problems, err.Error())
					}
				}
			}
			g.Expect(problems).To(ConsistOf(ContainSubstring(want)))
		})
	}
}

// The archives of releases have the manual pages that a command writes before.
func TestArchivesHaveManualPages(t *testing.T) {
	g := NewWithT(t)
	content, err := os.ReadFile("../../../.goreleaser.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	var config struct {
		Before   struct{ Hooks []string }
		Archives []struct{ Files []any }
	}
	g.Expect(yaml.Unmarshal(content, &config)).To(Succeed())
	g.Expect(config.Before.Hooks).To(HaveLen(1))
	_, args, ok := strings.Cut(config.Before.Hooks[0], " ./e2e/cmd/draconform ")
	g.Expect(ok).To(BeTrue())
	words := strings.Fields(args)
	g.Expect(checkCall(append([]string{"draconform"}, words...), makefile{}, false)).To(Succeed())
	g.Expect(words[:2]).To(Equal([]string{"docs", "--man"}))
	g.Expect(config.Archives[0].Files).To(ContainElement(HaveKeyWithValue("src", words[2]+"/*.1")))
}

// examplesIn returns the command lines in the code blocks of a page, and the
// commands in its text.
func examplesIn(page []byte) []example {
	var all []example
	_ = ast.Walk(goldmark.DefaultParser().Parse(text.NewReader(page)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.FencedCodeBlock:
			all = append(all, commandLines(string(n.Lines().Value(page)))...)
		case *ast.CodeBlock:
			all = append(all, commandLines(string(n.Lines().Value(page)))...)
		case *ast.CodeSpan:
			for _, e := range commandLines(string(n.Text(page))) { //nolint:staticcheck // A code span has no other way to its text.
				e.inline = true
				all = append(all, e)
			}
		}
		return ast.WalkContinue, nil
	})
	return all
}

// makefile has what "make" knows.
type makefile struct{ targets, variables []string }

func readMakefile(t *testing.T) makefile {
	t.Helper()
	content, err := os.ReadFile("../../../Makefile")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	var m makefile
	for _, found := range regexp.MustCompile(`(?m)^([a-z0-9-]+):`).FindAllStringSubmatch(string(content), -1) {
		m.targets = append(m.targets, found[1])
	}
	for _, found := range regexp.MustCompile(`(?m)^([A-Z0-9_]+) \?=`).FindAllStringSubmatch(string(content), -1) {
		m.variables = append(m.variables, found[1])
	}
	return m
}

// check returns what is wrong with the arguments of make.
func (m makefile) check(args []string) error {
	for _, arg := range args {
		if name, _, ok := strings.Cut(arg, "="); ok {
			if !slices.Contains(m.variables, name) {
				return fmt.Errorf("there is no variable %s", name)
			}
		} else if !slices.Contains(m.targets, arg) {
			return fmt.Errorf("there is no target %s", arg)
		}
	}
	return nil
}

// checkCall returns what is wrong with the call of a command. In a text, a command
// may be named without its arguments.
func checkCall(words []string, targets makefile, inline bool) error {
	if words[0] == "make" {
		return targets.check(words[1:])
	}
	args := words[1:]
	root := newCommand()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	root.InitDefaultVersionFlag()
	cmd, rest, err := root.Find(args)
	if err != nil {
		return err
	}
	cmd.InitDefaultHelpFlag()
	if inline && len(rest) == 1 && cmd.Flags().Lookup(strings.TrimPrefix(rest[0], "--")) != nil {
		return nil // only named, such as "draconform run --driver"
	}
	if err := cmd.ParseFlags(rest); err != nil {
		return err
	}
	if inline && cmd.Flags().NArg() == 0 || cmd.Name() == "help" || cmd.Flags().Changed("help") {
		return nil
	}
	if err := cmd.ValidateArgs(cmd.Flags().Args()); err != nil {
		return err
	}
	if cmd.PreRunE != nil {
		if err := cmd.PreRunE(cmd, nil); err != nil {
			return err
		}
	}
	if cmd.Parent() != nil && cmd.Parent().Name() == "job" && cmd.ArgsLenAtDash() >= 0 {
		if _, err := checkRunFlags(nil, cmd.Flags().Args()); err != nil {
			return err
		}
	}
	return checkNames(cmd)
}

// checkNames checks that specs, journeys and profiles exist.
func checkNames(cmd *cobra.Command) error {
	known := map[string][]string{"profile": profiles(), "claim": profiles()}
	for _, s := range slices.Concat(specs.All(), journeys.All()) {
		known["id"] = append(known["id"], s.ID)
	}
	for flag, names := range known {
		f := cmd.Flags().Lookup(flag)
		if f == nil || !f.Changed || f.Value.Type() != "stringSlice" { // "draconform allocate" has claims of another kind
			continue
		}
		values, err := cmd.Flags().GetStringSlice(flag)
		if err != nil {
			return err
		}
		for _, value := range values {
			if !slices.Contains(names, value) && !strings.Contains(value, placeholder) {
				return fmt.Errorf("there is no %q", value)
			}
		}
	}
	return nil
}
