// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/requirements/gatetable"
)

func TestStagesOf(t *testing.T) {
	for gate, want := range map[string]string{
		"DRAPartitionableDevices":   "1.33-1.35 alpha off, 1.36+ beta on",
		"DRADeviceTaintRules":       "1.35 alpha off, 1.36 beta off, 1.37+ ga on",
		"DynamicResourceAllocation": "1.30-1.31 alpha off, 1.32-1.33 beta off, 1.34+ ga on",
		"DRANoSuchGate":             "none",
	} {
		got, err := stagesOf(gate)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		NewWithT(t).Expect(got).To(Equal(want), gate)
	}
}

func TestJudgedBy(t *testing.T) {
	g := NewWithT(t)
	g.Expect(judgedBy(gatetable.Line{Documents: []string{"1", "2"}, Profiles: []string{"p", "q"}})).To(Equal("[KEP-1](requirements.md#kep-1), [KEP-2](requirements.md#kep-2); `p`, `q`"))
	g.Expect(judgedBy(gatetable.Line{Documents: []string{"1"}, Profiles: []string{"p"}, Reason: "A *part* is not."})).To(Equal(`[KEP-1](requirements.md#kep-1); ` + "`p`" + `. A \*part\* is not.`))
	g.Expect(judgedBy(gatetable.Line{Reason: "No spec."})).To(Equal("No spec."))
}
