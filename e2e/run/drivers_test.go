package run

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
)

// Who reads the report must not think that a driver was judged which nobody
// has brought in.
func TestDriversThatNoSpecNeedsAreNotJudged(t *testing.T) {
	g := NewWithT(t)
	f := (&runner{plan: &plan{suffix: "1"}}).fakes(true)
	g.Expect(f.install(t.Context(), []suite.Spec{{ID: "stage", Needs: []suite.Need{suite.NeedsStage}}})).To(Succeed())
	g.Expect(f.judged()).To(Equal(report.Subject{Drivers: []string{}}))

	f.installed = append(f.installed, f.drivers[subject.KindShared])
	g.Expect(f.judged()).To(Equal(report.Subject{Drivers: []string{"nic-1.draconform.dev"}, Installed: true}))
}
