// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package live

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// A failed provisional spec does not fail the run, and the page says so.
func TestProvisionalFailuresAreMarked(t *testing.T) {
	g := NewWithT(t)
	s := State{Planned: 2, Specs: []report.Spec{
		{ID: "news", Level: suite.Provisional.String(), Outcome: suite.Failed}, {ID: "no-room", Level: suite.Core.String(), Outcome: suite.Failed},
	}}
	page, err := s.fragment()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(page).To(And(ContainSubstring("<h3>news <small>provisional, without effect on the verdict</small></h3>"), ContainSubstring("<h3>no-room</h3>")))
	g.Expect(strings.Count(page, "provisional")).To(Equal(1))
}
