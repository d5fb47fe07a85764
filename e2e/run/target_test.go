// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/kind"
	"github.com/draconform/draconform/e2e/suite/operations"
)

func TestTargetControlPlane(t *testing.T) {
	for name, test := range map[string]struct {
		scheduler string
		nodes     operations.ControlPlane
		want      bool
	}{
		"created cluster":                        {"", &kind.Provider{}, true},
		"another scheduler in a created cluster": {"draconform-scheduler", &kind.Provider{}, false},
		"existing cluster":                       {"", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := &runner{plan: &plan{Config: Config{SchedulerName: test.scheduler}, suffix: "1"}}
			got, err := r.target(t.Context(), r.fakes(t.Context(), false), permitted{controlPlane: test.nodes})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got.ControlPlane != nil).To(Equal(test.want))
		})
	}
}
