// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package action_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// workflow is a workflow with its jobs.
type workflow struct {
	Jobs map[string]struct {
		Uses  string         `json:"uses"`
		With  map[string]any `json:"with"`
		Steps []step         `json:"steps"`
	} `json:"jobs"`
}

// Text of a pull request must not become a part of a script.
func TestScriptsHaveNoExpressions(t *testing.T) {
	g := NewWithT(t)
	var a composite
	readYAML(t, "action.yml", &a)
	g.Expect(a.Runs.Using).To(Equal("composite"))
	for _, s := range a.Runs.Steps {
		g.Expect(s.Run).NotTo(ContainSubstring("${{"))
		if s.Run != "" {
			g.Expect(strings.Trim(strings.Replace(s.Run, "$ACTION_PATH", checkout, 1), `"`)).To(BeARegularFile())
		}
	}
	scripts, err := filepath.Glob(filepath.Join(checkout, ".github/action/*.sh"))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(scripts).NotTo(BeEmpty())
	for _, script := range scripts {
		content, err := os.ReadFile(script)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(content)).NotTo(ContainSubstring("${{"), script)
	}
	for _, name := range []string{"judge-driver.yaml", "action.yaml"} {
		var w workflow
		readYAML(t, filepath.Join(".github/workflows", name), &w)
		g.Expect(w.Jobs).NotTo(BeEmpty())
		for job, j := range w.Jobs {
			for _, s := range j.Steps {
				g.Expect(s.Run).NotTo(ContainSubstring("${{"), "%s: job %s", name, job)
			}
		}
	}
}

// actionlint cannot know the inputs of an action in another checkout.
func TestWorkflowsPassInputsOfTheAction(t *testing.T) {
	g := NewWithT(t)
	var a composite
	readYAML(t, "action.yml", &a)
	uses := 0
	for _, name := range []string{"judge-driver.yaml", "action.yaml"} {
		var w workflow
		readYAML(t, filepath.Join(".github/workflows", name), &w)
		for _, j := range w.Jobs {
			for _, s := range j.Steps {
				if s.Uses != "./" && s.Uses != "./.draconform" {
					continue
				}
				uses++
				for input := range s.With {
					g.Expect(a.Inputs).To(HaveKey(input), name)
				}
			}
		}
	}
	g.Expect(uses).To(Equal(3), "steps that use the action")
}

// The page is what authors of workflows read.
func TestInputsAndOutputsAreDocumented(t *testing.T) {
	g := NewWithT(t)
	page, err := os.ReadFile(filepath.Join(checkout, "docs/github.md"))
	g.Expect(err).NotTo(HaveOccurred())
	var a composite
	readYAML(t, "action.yml", &a)
	var judge struct {
		On struct {
			WorkflowCall struct {
				Inputs map[string]any `json:"inputs"`
			} `json:"workflow_call"`
		} `json:"true"` // "on" in YAML 1.1
	}
	readYAML(t, ".github/workflows/judge-driver.yaml", &judge)
	g.Expect(judge.On.WorkflowCall.Inputs).NotTo(BeEmpty())
	names := slices.Concat(slices.Collect(maps.Keys(a.Inputs)), slices.Collect(maps.Keys(a.Outputs)), slices.Collect(maps.Keys(judge.On.WorkflowCall.Inputs)))
	for _, name := range names {
		g.Expect(string(page)).To(ContainSubstring("`"+name+"`"), "docs/github.md")
	}
}
