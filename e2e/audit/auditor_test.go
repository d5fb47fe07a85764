package audit_test

import (
	"maps"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/audit"
)

// Each promise is told as broken by a history in which it is, and nothing is told
// of the same history without the fault.
func TestAuditorTellsFaultsAndNothingElse(t *testing.T) {
	broken := map[audit.Rule]bool{}
	for _, table := range []map[string]story{decisions, uses} {
		for name, s := range table {
			broken[s.rule] = true
			t.Run(name, func(t *testing.T) {
				g := NewWithT(t)
				g.Expect(s.tell(false).alarms(t.Context(), s.config)).To(BeEmpty(), "without the fault")
				g.Expect(s.tell(true).alarms(t.Context(), s.config)).To(Equal([]audit.Alarm{{Rule: s.rule, Text: s.want}}), "with the fault")
			})
		}
	}
	NewWithT(t).Expect(maps.Keys(broken)).To(ConsistOf(audit.Rules()), "each rule has a history that breaks it")
}
