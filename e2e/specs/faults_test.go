// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/allocator"
	"github.com/draconform/draconform/e2e/internal/allocation"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/internal/fault"
	"github.com/draconform/draconform/internal/gocmd"
)

// breakableWith is the prefix of cases that run one spec in a cluster whose scheduler uses
// the bundled allocator in another process, which may have a fault.
const breakableWith = "the breakable allocator with "

// allocatorEnv is the environment variable with the program of that process.
const allocatorEnv = "DRACONFORM_TEST_ALLOCATOR"

// breakableCase returns the run of a spec with the program of the environment.
func breakableCase(spec string) suiterun.Case {
	options := fakecluster.Options{Allocator: func(config allocator.Config) (allocation.Index, error) {
		return allocation.Start(os.Getenv(allocatorEnv), config)
	}}
	return wrong.Cluster{Options: options, Spec: spec}.Case(specs.All())
}

// "make mutants" checks these faults of the allocator in a real cluster. This test checks
// them in a fake cluster within seconds, which does not contain the plugin around the
// allocator. Only that allocator is built with faults, not what judges it.
func TestSpecsDetectFaultsOfTheAllocator(t *testing.T) {
	t.Parallel()
	faults := allocatorFaults(t)
	NewWithT(t).Expect(len(faults)).To(BeNumerically(">", 10), "there should be faults")
	program := allocatorEnv + "=" + breakableAllocator(t)
	var needed []string
	for _, f := range faults {
		names := casesOf(f.Specs)
		needed = append(needed, names...)
		batch := &suiterun.Batch{Names: names, Env: []string{program, fault.Variable + "=" + f.Name}}
		reason := regexp.MustCompile(f.Reason)
		for _, spec := range f.Specs {
			t.Run(f.Name+"/"+spec, func(t *testing.T) {
				t.Parallel()
				g := NewWithT(t)
				broken := batch.Outcome(t, breakableWith+spec).Of(spec)
				g.Expect(broken.Outcome).To(Equal(suite.Failed))
				g.Expect(reason.FindString(broken.Reason)).NotTo(BeEmpty(), broken.Reason)
			})
		}
	}
	slices.Sort(needed)
	for _, batch := range suiterun.Batches(slices.Compact(needed)) {
		batch.Env = []string{program}
		for _, name := range batch.Names {
			spec := strings.TrimPrefix(name, breakableWith)
			t.Run("no fault/"+spec, func(t *testing.T) {
				t.Parallel()
				whole := batch.Outcome(t, name).Of(spec)
				NewWithT(t).Expect(whole.Outcome).To(Equal(suite.Passed), whole.Reason)
			})
		}
	}
}

// allocatorFault is a fault of the allocator in hack/mutants/faults.yaml.
type allocatorFault struct {
	Name, Broken, Part, Reason string
	Specs                      []string
}

// allocatorFaults returns the faults of the allocator that specs must detect.
func allocatorFaults(t *testing.T) []allocatorFault {
	t.Helper()
	g := NewWithT(t)
	data, err := os.ReadFile("../../hack/mutants/faults.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	var all struct{ Faults []allocatorFault }
	g.Expect(yaml.Unmarshal(data, &all)).To(Succeed())
	return slices.DeleteFunc(all.Faults, func(f allocatorFault) bool {
		return f.Broken != "scheduler" || f.Part == "plugin" || len(f.Specs) == 0
	})
}

// casesOf returns the names of the cases of specs.
func casesOf(specs []string) []string {
	var names []string
	for _, spec := range specs {
		names = append(names, breakableWith+spec)
	}
	return names
}

// breakableAllocator builds the program with the faults and returns its path. A child
// process gets the path from its parent.
func breakableAllocator(t *testing.T) string {
	t.Helper()
	if program := os.Getenv(allocatorEnv); program != "" {
		return program
	}
	program := filepath.Join(t.TempDir(), "allocate")
	err := gocmd.Build(t.Context(), "../internal/allocation/cmd/allocate", func(gocmd.Done) {}, []string{"CGO_ENABLED=0"},
		"-buildvcs=false", "-tags", fault.Tag, "-o", program)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return program
}
