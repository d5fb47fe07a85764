// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package evidence

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/report/compare"
	"github.com/draconform/draconform/e2e/report/internal/page"
	"github.com/draconform/draconform/e2e/suite"
)

// view is the data of the page's templates.
type view struct {
	report.Report
	Summary      string // The basis of the verdict.
	About        string // The run in one line.
	Overview     page.Overview
	Coverage     *page.CountTable
	Facts        []Fact
	Gates        []gate
	Profiles     []profileView
	Names        []string // The names of the profiles that specs have.
	Outcomes     []string // The outcomes that specs have. Those of provisional specs are apart, as in the counts.
	Specs        []specView
	Failures     []specView // Failed specs with details. Those without effect on the verdict are last.
	Provisional  []provisional
	Detailed     []specView // Other specs with details.
	Compared     *compare.Comparison
	Timeline     *timeline
	Journeys     []journeyView
	Skew         *skewMatrix
	Requirements []RequirementOutcome
	Files        []link
	Commands     []string
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
	// long states that the reason is longer than Short, and not only by the selection.
	long bool
	// bare states that the page has no details of the spec, to stay small.
	bare bool
}

// HasDetails reports whether the spec has more details than fit on one line.
func (s specView) HasDetails() bool {
	return !s.bare && (s.Outcome == suite.Failed || len(s.Steps) > 0 || len(s.Links) > 0 || s.long)
}

func (e Evidence) view(ctx context.Context) (view, error) {
	r := e.Report
	v := view{
		Report: r, Summary: r.Verdict.Summary(), About: about(r), Coverage: coverage(e.Requirements),
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
		if !slices.Contains(v.Outcomes, shown.Shown) {
			v.Outcomes = append(v.Outcomes, shown.Shown)
		}
		v.Specs = append(v.Specs, shown)
	}
	v.Overview = v.overview()
	return v, nil
}

// overview returns what the first screen shows.
func (v view) overview() page.Overview {
	o := page.Overview{Counts: profileCounts(v.Verdict, v.filterOf), ProvisionalCounts: provisionalCounts(v.Report.Specs)}
	for _, s := range v.Specs {
		if s.Outcome != suite.Failed {
			continue
		}
		note := ""
		if s.Regressed {
			note = "passed before"
		}
		o.Add(s.Spec, s.Short, note)
	}
	return o
}

// sort puts the specs into the lists of which they are a part. Only the first failures
// of each kind have details.
func (v *view) sort(failures int) {
	var failed, withoutEffect []*specView
	for i := range v.Specs {
		switch s := &v.Specs[i]; {
		case fails(s.Spec):
			failed = append(failed, s)
		case s.Outcome == suite.Failed:
			withoutEffect = append(withoutEffect, s)
		}
	}
	for _, all := range [][]*specView{failed, withoutEffect} {
		for i, s := range all {
			if s.bare = i >= failures; !s.bare {
				v.Failures = append(v.Failures, *s)
			}
		}
	}
	for _, s := range v.Specs {
		if s.Outcome != suite.Failed && s.HasDetails() {
			v.Detailed = append(v.Detailed, s)
		}
	}
	v.Provisional = provisionals(v.Specs)
}

// Details reports whether the page has details of a spec.
func (v view) Details(id string) bool {
	return slices.ContainsFunc(v.Specs, func(s specView) bool { return s.ID == id && s.HasDetails() })
}

// filterOf returns the value of the filter for a profile, which is its index in Names.
// It is empty if no spec has the profile.
func (v view) filterOf(profile string) string {
	if i := slices.Index(v.Names, profile); i >= 0 {
		return strconv.Itoa(i)
	}
	return ""
}

func (e Evidence) spec(s report.Spec) specView {
	v := specView{Spec: s, Shown: outcome(s), Short: page.Short(withoutProblem(s.Reason, e.Report.Verdict.Problem)), Line: timeLine(s), Links: e.artifacts(s.ID)}
	v.long = v.Short != strings.TrimSpace(s.Reason)
	if s.Outcome == suite.Skipped && strings.HasPrefix(v.Short, suite.ExcludedBySelection+" ") {
		// The environment has the selection, which may name many specs.
		v.Short, v.long = suite.ExcludedBySelection, false
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

// outcome formats the outcome of a spec.
func outcome(s report.Spec) string {
	if s.Provisional() {
		return page.OutcomeText(s.Outcome) + " (provisional)"
	}
	return page.OutcomeText(s.Outcome)
}

// fails reports whether a spec fails the run.
func fails(s report.Spec) bool { return s.Outcome == suite.Failed && !s.Provisional() }
