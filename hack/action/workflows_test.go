// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package action_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"
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

// workflowInput is an input of the workflow that others call.
type workflowInput struct {
	Required bool `json:"required"`
	Default  any  `json:"default"`
}

func readJudge(t *testing.T) (inputs map[string]workflowInput, passed map[string]any) {
	t.Helper()
	g := NewWithT(t)
	const name = ".github/workflows/judge-driver.yaml"
	var judge struct {
		On struct {
			WorkflowCall struct {
				Inputs map[string]workflowInput `json:"inputs"`
			} `json:"workflow_call"`
		} `json:"true"` // "on" in YAML 1.1
	}
	readYAML(t, name, &judge)
	var w workflow
	readYAML(t, name, &w)
	for _, s := range w.Jobs["judge"].Steps {
		if s.ID == "judge" {
			passed = s.With
		}
	}
	inputs = judge.On.WorkflowCall.Inputs
	g.Expect(inputs).NotTo(BeEmpty())
	g.Expect(passed).NotTo(BeEmpty())
	return inputs, passed
}

// The workflow has the inputs of the action but those about other clusters, with the same
// defaults, and passes them on.
func TestWorkflowHasTheInputsOfTheAction(t *testing.T) {
	g := NewWithT(t)
	var a composite
	readYAML(t, "action.yml", &a)
	inputs, passed := readJudge(t)
	for name, of := range a.Inputs {
		switch name {
		case "provider", "kubeconfig": // The cluster is always that of the workflow.
			g.Expect(inputs).NotTo(HaveKey(name))
			g.Expect(passed).NotTo(HaveKey(name))
			continue
		case "release": // One of the matrix.
			g.Expect(inputs).To(HaveKey("releases"))
			g.Expect(passed[name]).To(Equal("${{ matrix.release }}"))
			continue
		}
		g.Expect(inputs).To(HaveKey(name))
		g.Expect(passed[name]).To(HavePrefix("${{ inputs."+name+" }}"), name)
		if !inputs[name].Required {
			g.Expect(inputs[name].Default).To(Equal(of.Default), name)
		}
	}
}

// The page is what authors of workflows read.
func TestInputsAndOutputsAreDocumented(t *testing.T) {
	g := NewWithT(t)
	page, err := os.ReadFile(filepath.Join(checkout, "docs/github.md"))
	g.Expect(err).NotTo(HaveOccurred())
	var a composite
	readYAML(t, "action.yml", &a)
	inputs, _ := readJudge(t)
	names := slices.Concat(slices.Collect(maps.Keys(a.Inputs)), slices.Collect(maps.Keys(a.Outputs)), slices.Collect(maps.Keys(inputs)))
	for _, name := range names {
		g.Expect(string(page)).To(ContainSubstring("`"+name+"`"), "docs/github.md")
	}
}

// Authors of workflows copy the versions of actions from the pages.
func TestPagesUseTheVersionsOfTheWorkflows(t *testing.T) {
	g := NewWithT(t)
	used := regexp.MustCompile(`uses: (actions/[a-z-]+)@(v\d+)`)
	versions := map[string]string{}
	files, err := filepath.Glob(filepath.Join(checkout, ".github/workflows/*.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	pages, err := filepath.Glob(filepath.Join(checkout, "docs/*.md"))
	g.Expect(err).NotTo(HaveOccurred())
	found := 0
	for _, file := range slices.Concat(files, []string{filepath.Join(checkout, "action.yml")}, pages) {
		content, err := os.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		for _, use := range used.FindAllStringSubmatch(string(content), -1) {
			if version, ok := versions[use[1]]; ok {
				g.Expect(use[2]).To(Equal(version), "%s of %s", use[1], file)
			}
			versions[use[1]] = use[2]
			found++
		}
	}
	g.Expect(found).To(BeNumerically(">", 20))
}

// blocks matches the blocks of code of a page.
var blocks = regexp.MustCompile(`(?m)(?:^    .*\n)+`)

// Vendors copy the examples.
func TestExamplesOfThePageSuitTheActionAndTheWorkflow(t *testing.T) {
	g := NewWithT(t)
	page, err := os.ReadFile(filepath.Join(checkout, "docs/github.md"))
	g.Expect(err).NotTo(HaveOccurred())
	found := blocks.FindAllString(string(page), -1)
	g.Expect(len(found)).To(BeNumerically(">=", 2))

	g.Expect(strings.Count(found[0], "\n")).To(Equal(10), "lines")
	var caller workflow
	g.Expect(yaml.Unmarshal([]byte(found[0]), &caller)).To(Succeed())
	job := caller.Jobs["dra"]
	name, version, _ := strings.Cut(strings.TrimPrefix(job.Uses, "draconform/draconform/"), "@")
	g.Expect(name).To(Equal(".github/workflows/judge-driver.yaml"))
	inputs, _ := readJudge(t)
	g.Expect(inputs["ref"].Default).To(Equal(version), "the action is of the same version as the workflow")
	for input, value := range job.With {
		g.Expect(inputs).To(HaveKey(input))
		g.Expect(value).NotTo(BeEmpty())
	}
	for input, of := range inputs {
		g.Expect(!of.Required || job.With[input] != nil).To(BeTrue(), "input %s", input)
	}

	var steps []step
	g.Expect(yaml.Unmarshal([]byte(found[1]), &steps)).To(Succeed())
	var a composite
	readYAML(t, "action.yml", &a)
	g.Expect(steps).To(HaveLen(3))
	g.Expect(steps[1].Uses).To(Equal("draconform/draconform@" + version))
	for input := range steps[1].With {
		g.Expect(a.Inputs).To(HaveKey(input))
	}
	for _, output := range regexp.MustCompile(`steps\.judge\.outputs\.([a-z-]+)`).FindAllStringSubmatch(found[1], -1) {
		g.Expect(a.Outputs).To(HaveKey(output[1]))
	}
}
