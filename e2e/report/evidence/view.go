// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/compare"
	"github.com/draconform/draconform/e2e/suite"
)

// maxFailed is the number of failed specs at the top of the page, and maxNarrow that of
// those for which a narrow screen has room, as the style sheet says.
const (
	maxFailed = 6
	maxNarrow = 3
)

// view is the data of the page's templates.
type view struct {
	report.Report
	Summary string // The basis of the verdict.
	About   string // The run in one line.
	Counts  *countTable
	// ProvisionalCounts are those of provisional specs.
	ProvisionalCounts *countTable
	Coverage          *countTable
	Facts             []Fact
	Gates             []gate
	Profiles          []profileView
	Names             []string // The names of the profiles that specs have.
	Outcomes          []string // The outcomes that specs have.
	Specs             []specView
	Failed            []specView // Specs that fail the run.
	Provisional       []specView // Provisional specs that did not pass.
	Detailed          []specView // Other specs with details.
	Compared          *compare.Comparison
	Timeline          *timeline
	Journeys          []journeyView
	Skew              *skewMatrix
	Requirements      []RequirementOutcome
	Files             []link
	Commands          []string
	// LeftOut describes what the page lacks to stay small. It is empty if it
	// lacks nothing.
	LeftOut string
}

type gate struct {
	Name string
	On   bool
}

// specView is a spec with its artifacts.
type specView struct {
	report.Spec
	// Group is the index of its profile in the view's Names.
	Group int
	// Shown is the outcome, with a mark if the spec is provisional.
	Shown    string
	Short    string
	Duration string
	// Regressed states that the spec passed in the earlier run.
	Regressed bool
	// Line has the steps of a failed spec, if the time of the failure is known.
	Line  []stepBar
	Links []link
	Pools []poolView
	// PoolsError is the reason why there are no pictures of pools.
	PoolsError string
}

// HasDetails reports whether the spec has more details than fit on one line.
func (s specView) HasDetails() bool {
	long := s.Short != strings.TrimSpace(s.Reason) && s.Outcome != suite.Skipped // The environment has the selection.
	return s.Outcome == suite.Failed || len(s.Steps) > 0 || len(s.Links) > 0 || long
}

func (e Evidence) view(ctx context.Context) (view, error) {
	r := e.Report
	v := view{
		Report: r, Summary: r.Verdict.Summary(), About: about(r), Counts: profileCounts(r.Verdict), ProvisionalCounts: provisionalCounts(r.Specs), Coverage: coverage(e.Requirements),
		Facts: Facts(r), Profiles: profiles(r), Compared: e.Compared, Timeline: newTimeline(r), Journeys: journeys(r),
		Requirements: e.Requirements, Files: linked(e.Files), Commands: r.Commands(),
	}
	v.Skew = newSkewMatrix(v.Journeys)
	for _, name := range slices.Sorted(maps.Keys(r.Cluster.Gates)) {
		v.Gates = append(v.Gates, gate{name, r.Cluster.Gates[name]})
	}
	for _, s := range r.Specs {
		if ctx.Err() != nil {
			return view{}, fmt.Errorf("render the page: %w", context.Cause(ctx))
		}
		shown := e.spec(s)
		if shown.Group = slices.Index(v.Names, s.Profile); shown.Group < 0 {
			shown.Group = len(v.Names)
			v.Names = append(v.Names, s.Profile)
		}
		if o := string(s.Outcome); !slices.Contains(v.Outcomes, o) {
			v.Outcomes = append(v.Outcomes, o)
		}
		v.Specs = append(v.Specs, shown)
	}
	return v, nil
}

// add adds a spec to the lists of which it is a part.
func (v *view) add(s specView) {
	v.Specs = append(v.Specs, s)
	if fails(s.Spec) {
		v.Failed = append(v.Failed, s)
	}
	if s.Provisional() && s.Outcome != suite.Passed {
		v.Provisional = append(v.Provisional, s)
	}
	if s.Outcome != suite.Failed && s.HasDetails() {
		v.Detailed = append(v.Detailed, s)
	}
}

// First returns the failed specs at the top of the page. More reports whether there may
// be others that the reader does not see there.
func (v view) First() []specView { return first(v.Failed) }

// More is described at First.
func (v view) More() bool { return more(v.Failed) }

func first(failed []specView) []specView { return failed[:min(maxFailed, len(failed))] }

func more(failed []specView) bool { return len(failed) > maxNarrow }

// WithoutEffect returns the failed provisional specs.
func (v view) WithoutEffect() []specView {
	return slices.DeleteFunc(slices.Clone(v.Provisional), func(s specView) bool { return s.Outcome != suite.Failed })
}

// Failures returns all failed specs. Those without effect on the verdict are last.
func (v view) Failures() []specView { return slices.Concat(v.Failed, v.WithoutEffect()) }

// GroupOf returns the index of a profile in Names, or -1 if no spec has it.
func (v view) GroupOf(profile string) int { return slices.Index(v.Names, profile) }

func (e Evidence) spec(s report.Spec) specView {
	v := specView{Spec: s, Shown: outcome(s), Short: short(withoutProblem(s.Reason, e.Report.Verdict.Problem)), Line: timeLine(s), Links: e.artifacts(s.ID)}
	if s.Outcome == suite.Skipped {
		v.Short = abbreviated(v.Short, maxSkipped)
	}
	if s.After != nil || s.Seconds > 0 {
		v.Duration = formatDuration(s.Seconds)
	}
	if e.Compared != nil {
		v.Regressed = slices.ContainsFunc(e.Compared.Regressions(), func(r compare.Spec) bool { return r.Now.ID == s.ID })
	}
	if s.Outcome == suite.Failed && len(v.Links) > 0 {
		pools, err := e.pools(s)
		if err != nil {
			v.PoolsError = err.Error()
		}
		v.Pools = pools
	}
	return v
}

// about returns the cluster and the time of the run in one line.
func about(r report.Report) string {
	parts := []string{r.Cluster.Provider, "", "", "", ""}
	if release := versions(r, "kube-apiserver"); release != "" {
		parts[1] = "Kubernetes " + release
	}
	if r.Cluster.Scheduler != "" {
		parts[2] = "scheduler " + r.Cluster.Scheduler
	}
	if !r.Run.Started.IsZero() {
		parts[3], parts[4] = r.Run.Started.UTC().Format("2006-01-02 15:04 UTC"), formatDuration(r.Run.Duration.Seconds())
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// maxProblem is the number of lines of a problem that is not folded, and firstLines that
// of one that is. The lines of a long one are mostly the log of a component.
const (
	maxProblem = 4
	firstLines = 2
)

// head returns the beginning of the problem that ended a run, without the path of a log,
// or all of a short one.
func head(problem string) string {
	lines := strings.Split(strings.TrimRight(problem, "\n"), "\n")
	if len(lines) <= maxProblem {
		return problem
	}
	lines[0], _, _ = strings.Cut(lines[0], "; from its log ")
	return strings.Join(lines[:firstLines], "\n")
}

// withoutProblem returns a reason without the log of a component that ended, if that is
// what ended the run: the top of the page has it.
func withoutProblem(reason, problem string) string {
	ended, _, ok := strings.Cut(problem, "; ")
	before, _, found := strings.Cut(reason, ended)
	if !ok || !found || strings.Contains(ended, "\n") {
		return reason
	}
	return before + ended
}

// short returns the beginning of a reason: the step, the error that ended it,
// and what was expected. If that is an error, or compares two values, it has these.
func short(reason string) string {
	const runes = 240
	lines, most := strings.Split(strings.TrimSpace(reason), "\n"), 2
	if len(lines) > 1 && (strings.HasPrefix(lines[1], "Expected") || lines[1] == "Unexpected error:") {
		most = 5
	}
	return abbreviated(strings.Join(strings.Fields(strings.Join(lines[:min(most, len(lines))], " ")), " "), runes)
}

// maxSkipped is the length of the reasons of skipped specs. They repeat the selection,
// which may have the ids of many specs.
const maxSkipped = 80

func abbreviated(text string, runes int) string {
	if all := []rune(text); len(all) > runes {
		return strings.TrimSpace(string(all[:runes])) + "…"
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

// key is the outcome in attributes of the page.
func key(outcome any) string { return cmp.Or(fmt.Sprint(outcome), "no-outcome") }
