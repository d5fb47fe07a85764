// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"maps"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/audit"
)

// Each rule is broken in a history with the fault. The same history without the
// fault raises no alarm.
func TestAuditorReportsOnlyFaults(t *testing.T) {
	broken := map[audit.Rule]bool{}
	for _, table := range []map[string]scenario{supplies, demands, copies, uses, classics} {
		for name, s := range table {
			broken[s.rule] = true
			t.Run(name, func(t *testing.T) {
				g := NewWithT(t)
				g.Expect(s.build(false).alarms(t.Context(), s.config)).To(BeEmpty(), "without the fault")
				g.Expect(s.build(true).alarms(t.Context(), s.config)).To(Equal([]audit.Alarm{{Rule: s.rule, Text: s.want}}), "with the fault")
			})
		}
	}
	NewWithT(t).Expect(maps.Keys(broken)).To(ConsistOf(audit.Rules()), "each rule has a history that breaks it")
}

// Expectations of one scheduler do not apply to the next one.
func TestAuditorExpectsOfEachSchedulerWhatItPromises(t *testing.T) {
	g := NewWithT(t)
	h := demands["two values on a device"].build(true)
	last := len(h.views) - 1
	for name, test := range map[string]struct {
		before, then audit.Scheduler
		want         int
	}{
		"one that promises nothing takes over": {before: audit.Scheduler{SharingAffinity: true}, then: audit.Scheduler{}, want: 0},
		"one takes over from it":               {before: audit.Scheduler{}, then: audit.Scheduler{SharingAffinity: true}, want: 1},
	} {
		a := audit.New(audit.Config{Scheduler: test.before})
		var alarms []audit.Alarm
		for i, view := range h.views {
			if i == last {
				a.AllocatedBy(test.then)
			}
			alarms = append(alarms, a.Audit(t.Context(), view)...)
		}
		g.Expect(alarms).To(HaveLen(test.want), name)
	}
}
