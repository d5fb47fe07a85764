// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
)

// view is the data of the page's template.
type view struct {
	report.Report
	Summary      string // The basis of the verdict.
	Facts        []Fact
	Gates        []gate
	Profiles     []profileView
	Specs        []specView
	Failed       []specView
	Provisional  []specView
	Detailed     []specView
	Timeline     *timeline
	Journeys     []journeyView
	Skew         *skewMatrix
	Requirements []RequirementOutcome
	Files        []link
	Commands     []string
}

type gate struct {
	Name string
	On   bool
}

// specView is a spec with its artifacts.
type specView struct {
	report.Spec
	// Shown is the outcome, with a mark if the spec is provisional.
	Shown    string
	Short    string
	Duration string
	Links    []link
	Pictures []picture
	// PicturesError is the reason why there are no pictures.
	PicturesError string
}

// HasDetails reports whether the spec has more details than fit on one line.
func (s specView) HasDetails() bool {
	return s.Outcome == suite.Failed || len(s.Steps) > 0 || len(s.Links) > 0 || s.Short != strings.TrimSpace(s.Reason)
}

func (e Evidence) view(ctx context.Context) (view, error) {
	r := e.Report
	v := view{
		Report: r, Summary: r.Verdict.Summary(), Facts: Facts(r), Profiles: profiles(r), Timeline: newTimeline(r), Requirements: e.Requirements, Files: e.files(), Commands: r.Commands(),
	}
	v.Journeys = journeys(r)
	v.Skew = newSkewMatrix(v.Journeys)
	for _, name := range slices.Sorted(maps.Keys(r.Cluster.Gates)) {
		v.Gates = append(v.Gates, gate{name, r.Cluster.Gates[name]})
	}
	for _, s := range r.Specs {
		shown, err := e.spec(ctx, s)
		if err != nil {
			return view{}, err
		}
		v.Specs = append(v.Specs, shown)
		if fails(s) {
			v.Failed = append(v.Failed, shown)
		}
		if s.Provisional() {
			v.Provisional = append(v.Provisional, shown)
		}
		if shown.HasDetails() {
			v.Detailed = append(v.Detailed, shown)
		}
	}
	return v, nil
}

func (e Evidence) spec(ctx context.Context, s report.Spec) (specView, error) {
	v := specView{Spec: s, Shown: outcome(s), Short: short(s.Reason), Links: e.artifacts(s.ID)}
	if s.After != nil || s.Seconds > 0 {
		v.Duration = formatDuration(s.Seconds)
	}
	if len(v.Links) == 0 {
		return v, nil
	}
	pictures, err := e.pictures(ctx, s.ID)
	if ctx.Err() != nil {
		return v, err
	}
	if err != nil {
		v.PicturesError = err.Error()
	}
	v.Pictures = pictures
	return v, nil
}

// short returns the beginning of a reason: the step, the error that ended it,
// and what was expected.
func short(reason string) string {
	const most, runes = 2, 240
	lines := strings.Split(strings.TrimSpace(reason), "\n")
	text := strings.Join(lines[:min(most, len(lines))], " ")
	if all := []rune(text); len(all) > runes {
		text = strings.TrimSpace(string(all[:runes])) + "…"
	}
	return text
}

// outcome formats the outcome of a spec. Specs of a run that ended early may
// have none.
func outcome(s report.Spec) string {
	if s.Provisional() {
		return outcomeText(s.Outcome) + " (provisional)"
	}
	return outcomeText(s.Outcome)
}

func outcomeText(o suite.Outcome) string { return cmp.Or(string(o), "no outcome") }

// fails reports whether a spec fails the run.
func fails(s report.Spec) bool { return s.Outcome == suite.Failed && !s.Provisional() }
