// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/internal/page"
	"github.com/draconform/draconform/e2e/suite"
)

// profileView is a profile with its specs that were not executed.
type profileView struct {
	report.Profile
	Missing []missing
}

// missing are specs of a profile that were not executed. They have the same
// level, outcome and reason.
type missing struct {
	Level   string
	Outcome suite.Outcome
	Reason  string
	Specs   []string
}

// profiles returns the profiles of a report.
func profiles(r report.Report) []profileView {
	var all []profileView
	for _, p := range r.Verdict.Profiles {
		v := profileView{Profile: p}
		for _, level := range []suite.Level{suite.Core, suite.Extended} {
			v.Missing = append(v.Missing, missingSpecs(r, p.Name, level.String())...)
		}
		all = append(all, v)
	}
	return all
}

// missingSpecs returns the specs of a profile and a level that were not
// executed.
func missingSpecs(r report.Report, profile, level string) []missing {
	var all []missing
	for _, s := range r.Specs {
		if s.Profile != profile || s.Level != level || s.Outcome == suite.Passed || s.Outcome == suite.Failed {
			continue
		}
		i := slices.IndexFunc(all, func(m missing) bool { return m.Outcome == s.Outcome && m.Reason == page.Short(s.Reason) })
		if i < 0 {
			i = len(all)
			all = append(all, missing{Level: level, Outcome: s.Outcome, Reason: page.Short(s.Reason)})
		}
		all[i].Specs = append(all[i].Specs, s.ID)
	}
	return all
}

// Why returns the outcome and the reason.
func (m missing) Why() string {
	text := page.OutcomeText(m.Outcome)
	if m.Reason != "" {
		text += ": " + m.Reason
	}
	return text
}

// Note returns the reason of the result, and whether the profile is claimed.
func (p profileView) Note() string {
	text := p.Reason
	if !p.Claimed {
		text = strings.TrimPrefix(text+"; not claimed", "; ")
	}
	return text
}

// CoreText and ExtendedText return what was executed, or a dash for a report
// that does not say so.
func (p profileView) CoreText() string {
	if p.Core == nil {
		return "–"
	}
	return p.Core.String()
}

// ExtendedText is described at CoreText.
func (p profileView) ExtendedText() string {
	if p.Extended == nil {
		return "–"
	}
	return p.Extended.String()
}

// Profiles returns, for each profile, its result and the specs that could not
// be executed. Skipped specs are left out, because the caller excluded them.
func Profiles(r report.Report) []string {
	const most = 3
	var all []string
	for _, p := range profiles(r) {
		var text strings.Builder
		fmt.Fprintf(&text, "profile %s: %s\n", p.Name, p.Profile)
		for _, m := range p.Missing {
			if m.Outcome == suite.Skipped {
				continue
			}
			names := strings.Join(m.Specs[:min(most, len(m.Specs))], ", ")
			if more := len(m.Specs) - most; more > 0 {
				names += fmt.Sprintf(", and %d more", more)
			}
			fmt.Fprintf(&text, "  %s: %s: %s\n", m.Level, names, m.Why())
		}
		all = append(all, text.String())
	}
	return all
}

// markdownProfiles writes the results of the profiles, then the specs that are
// missing.
func (e Evidence) markdownProfiles(b *bytes.Buffer) {
	all := profiles(e.Report)
	if len(all) == 0 {
		return
	}
	b.WriteString("\n## Profiles\n\n| profile | result | core | extended |\n|---|---|---|---|\n")
	var rows []string
	for _, p := range all {
		result := string(p.Result)
		if p.Reason != "" {
			result += ": " + p.Reason
		}
		if !p.Claimed {
			result += "; not claimed"
		}
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(p.Name), cell(result), cell(p.CoreText()), cell(p.ExtendedText()))
		for _, m := range p.Missing {
			rows = append(rows, fmt.Sprintf("| %s | %s | %s | %s |\n", cell(p.Name), m.Level, cell(strings.Join(m.Specs, ", ")), cell(m.Why())))
		}
	}
	if len(rows) > 0 {
		b.WriteString("\n### Not executed\n\n| profile | level | specs | reason |\n|---|---|---|---|\n" + strings.Join(rows, ""))
	}
}

// provisional are provisional specs that did not pass. They have the same outcome and
// reason, except for failed ones, whose reasons are elsewhere.
type provisional struct {
	Outcome suite.Outcome
	Reason  string
	Specs   []specView
}

func provisionals(specs []specView) []provisional {
	var all []provisional
	for _, s := range specs {
		if !s.Provisional() || s.Outcome == suite.Passed {
			continue
		}
		reason := s.Short
		if s.Outcome == suite.Failed {
			reason = ""
		}
		i := slices.IndexFunc(all, func(p provisional) bool { return p.Outcome == s.Outcome && p.Reason == reason })
		if i < 0 {
			i = len(all)
			all = append(all, provisional{Outcome: s.Outcome, Reason: reason})
		}
		all[i].Specs = append(all[i].Specs, s)
	}
	isFailed := func(p provisional) bool { return p.Outcome == suite.Failed }
	if i := slices.IndexFunc(all, isFailed); i > 0 { // They are first.
		failed := all[i]
		all = slices.Insert(slices.Delete(all, i, i+1), 0, failed)
	}
	return all
}
