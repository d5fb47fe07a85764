// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/internal/page"
	"github.com/draconform/draconform/e2e/requirements"
	"github.com/draconform/draconform/e2e/suite"
)

// profileCounts counts the outcomes of the core and extended specs of each profile.
// filter returns the value of the filter that shows the specs of a profile.
func profileCounts(v report.Verdict, filter func(profile string) string) *page.CountTable {
	if len(v.Profiles) == 0 {
		return nil
	}
	t := &page.CountTable{Of: "Profile", Caption: "Core and extended specs", Outcomes: page.SpecOutcomes(func(o suite.Outcome) bool {
		return slices.ContainsFunc(v.Profiles, func(p report.Profile) bool { return p.Counts[o] > 0 })
	})}
	for _, p := range v.Profiles {
		t.Add(page.CountRow{Name: p.Name, Result: string(p.Result), Filter: filter(p.Name)}, func(o string) int { return p.Counts[suite.Outcome(o)] })
	}
	return t
}

// provisionalCounts counts the outcomes of the provisional specs of each profile.
func provisionalCounts(specs []report.Spec) *page.CountTable {
	return page.CountSpecs("New specs, without effect on the verdict",
		slices.DeleteFunc(slices.Clone(specs), func(s report.Spec) bool { return !s.Provisional() }))
}

// coverage counts the outcomes of the requirements of each KEP.
func coverage(all []RequirementOutcome) *page.CountTable {
	t := &page.CountTable{Of: "KEP", Caption: "The requirements of each KEP by outcome. Provisional specs are new and prove none yet"}
	for _, o := range []requirements.Outcome{requirements.Proved, requirements.Failed, requirements.NotSupported, requirements.NotRun} {
		t.Outcomes = append(t.Outcomes, string(o))
	}
	var keps []string
	counts := map[string]map[string]int{}
	for _, r := range all {
		kep, _, _ := strings.Cut(r.ID, "-")
		if counts[kep] == nil {
			keps, counts[kep] = append(keps, kep), map[string]int{}
		}
		counts[kep][r.Outcome]++
		if !slices.Contains(t.Outcomes, r.Outcome) {
			t.Outcomes = append(t.Outcomes, r.Outcome)
		}
	}
	for _, kep := range keps {
		t.Add(page.CountRow{Name: "KEP-" + kep}, func(o string) int { return counts[kep][o] })
	}
	if len(t.Rows) == 0 {
		return nil
	}
	return t
}
