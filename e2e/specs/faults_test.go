// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package specs_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/internal/fault"
)

// ofThePlugin are the faults of the scheduler plugin around the allocator. The
// fake cluster does not contain the plugin.
var ofThePlugin = []string{
	"forgets-releases", "ignores-node-selector", "forgets-decisions", "forgets-locks-at-restart", "unlocks-undrained", "keeps-released-devices", "forgets-slice-updates",
	"limits-consumers", "keeps-unused-allocations", "moves-used-allocations", "forgets-node-labels", "forgets-new-classes", "forgets-new-slices", "forgets-new-claims",
	"keeps-reservations", "keeps-later-devices", "stops-preemption", "looks-for-devices-late",
	"ignores-binding-conditions", "compares-first-condition-only", "compares-first-device-only", "accepts-any-condition-status", "ignores-binding-failures", "keeps-failed-allocations",
	"ignores-device-plugins", "ignores-implicit-names", "requests-one-device", "maps-to-first-request", "ignores-init-containers", "makes-unowned-claims", "makes-unmarked-claims",
}

// "make mutants" checks these faults of the allocator in a real cluster. This
// test checks them in a fake cluster within seconds.
func TestSpecsDetectFaultsOfTheAllocator(t *testing.T) {
	g := NewWithT(t)
	var all struct {
		Faults []struct {
			Name, Broken, Reason string
			Specs                []string
		}
	}
	data, err := os.ReadFile("../../hack/mutants/faults.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(yaml.Unmarshal(data, &all)).To(Succeed())
	tried := 0
	for _, f := range all.Faults {
		if f.Broken != "scheduler" || slices.Contains(ofThePlugin, f.Name) {
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
