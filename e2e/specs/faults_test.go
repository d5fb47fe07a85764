// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package specs_test

import (
	"os"
	"regexp"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/internal/fault"
)

// "make mutants" checks these faults of the allocator in a real cluster. This
// test checks them in a fake cluster within seconds, which does not contain the
// plugin around the allocator.
func TestSpecsDetectFaultsOfTheAllocator(t *testing.T) {
	g := NewWithT(t)
	var all struct {
		Faults []struct {
			Name, Broken, Part, Reason string
			Specs                      []string
		}
	}
	data, err := os.ReadFile("../../hack/mutants/faults.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(yaml.Unmarshal(data, &all)).To(Succeed())
	tried := 0
	for _, f := range all.Faults {
		if f.Broken != "scheduler" || f.Part == "plugin" {
			continue
		}
		reason := regexp.MustCompile(f.Reason)
		for _, spec := range f.Specs {
			tried++
			t.Run(f.Name+"/"+spec, func(t *testing.T) {
				t.Parallel()
				g := NewWithT(t)
				whole := suiterun.Run(t, bundledWith+spec).Of(spec)
				g.Expect(whole.Outcome).To(Equal(suite.Passed), whole.Reason)
				broken := suiterun.Run(t, bundledWith+spec, fault.Variable+"="+f.Name).Of(spec)
				g.Expect(broken.Outcome).To(Equal(suite.Failed))
				g.Expect(reason.FindString(broken.Reason)).NotTo(BeEmpty(), broken.Reason)
			})
		}
	}
	g.Expect(tried).To(BeNumerically(">", 10), "there should be faults")
}
