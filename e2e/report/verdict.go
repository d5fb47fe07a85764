package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/draconform/draconform/e2e/suite"
)

// Result is a verdict in one word.
type Result string

// The results of a verdict.
const (
	Passed Result = "passed"
	Failed Result = "failed"
	// Incomplete: the run ended before every selected spec had an outcome.
	Incomplete Result = "incomplete"
)

// Conformance is the result of a run for a profile.
type Conformance string

// The results for a profile.
const (
	// Conformant: all of its specs have an outcome, at least one passed and
	// none failed.
	Conformant Conformance = "conformant"
	// NotConformant: a spec failed, or the profile was claimed and a spec was
	// skipped.
	NotConformant Conformance = "not-conformant"
	// Undecided: specs of a profile that is not claimed were skipped, specs
	// have no outcome, or no spec could be run in the cluster.
	Undecided Conformance = "undecided"
)

// Rule is the rule of the verdict.
const Rule = "A run passes if every selected spec has an outcome, none failed, and none of a claimed profile was skipped. A spec that the " +
	"cluster does not support, or that is not applicable to it, does not fail the run. A profile is conformant if none of its " +
	"specs was skipped, none failed, and at least one passed."

// Verdict is the result of a run and its basis.
type Verdict struct {
	Result Result                `json:"result"`
	Counts map[suite.Outcome]int `json:"counts"`
	// Profiles are the profiles of all specs, in the order of their first spec.
	Profiles []Profile `json:"profiles,omitempty"`
	// Problem states why a run is incomplete.
	Problem string `json:"problem,omitempty"`
	Rule    string `json:"rule"`
}

// Profile is the part of a verdict about a profile.
type Profile struct {
	Name string `json:"name"`
	// Claimed states that the profile is claimed as a whole.
	Claimed bool                  `json:"claimed"`
	Result  Conformance           `json:"result"`
	Counts  map[suite.Outcome]int `json:"counts"`
	// Reason states why the profile is not conformant.
	Reason string `json:"reason,omitempty"`
}

// NewVerdict returns the verdict of a run that claims profiles. problem is the
// error that ended the run early, or nil.
func NewVerdict(results []suite.Result, claimNames []string, problem error) Verdict {
	v := Verdict{Result: Passed, Counts: map[suite.Outcome]int{}, Rule: Rule}
	for _, r := range results {
		v.Counts[r.Outcome]++
		i := slices.IndexFunc(v.Profiles, func(p Profile) bool { return p.Name == r.Spec.Profile })
		if i < 0 {
			i = len(v.Profiles)
			v.Profiles = append(v.Profiles, Profile{
				Name: r.Spec.Profile, Claimed: slices.Contains(claimNames, r.Spec.Profile), Counts: map[suite.Outcome]int{},
			})
		}
		v.Profiles[i].Counts[r.Outcome]++
	}
	incomplete := problem != nil || v.Counts[""] > 0 || len(results) == 0
	for i := range v.Profiles {
		v.Profiles[i].setResult(incomplete)
	}
	switch {
	case v.Counts[suite.Failed] > 0:
		v.Result = Failed
	case incomplete:
		v.Result = Incomplete
	case len(v.notConformant()) > 0:
		v.Result = Failed
	}
	if problem != nil {
		v.Problem = problem.Error()
	}
	return v
}

// setResult determines whether a profile is conformant. Specs that a run did
// not reach because it ended early do not make a profile not conformant.
func (p *Profile) setResult(incomplete bool) {
	failed, skipped, all := p.Counts[suite.Failed], p.Counts[suite.Skipped]+p.Counts[""], 0
	for _, n := range p.Counts {
		all += n
	}
	switch {
	case failed > 0:
		p.Result, p.Reason = NotConformant, fmt.Sprintf("%d of %d specs failed", failed, all)
	case skipped > 0:
		p.Result, p.Reason = Undecided, fmt.Sprintf("%d of %d specs were not completed", skipped, all)
		if p.Claimed && !incomplete {
			p.Result = NotConformant
		}
	case p.Counts[suite.Passed] == 0:
		p.Result, p.Reason = Undecided, "no spec could run in this cluster"
	default:
		p.Result = Conformant
	}
}

// notConformant returns the names of the profiles that are not conformant.
func (v Verdict) notConformant() []string {
	var names []string
	for _, p := range v.Profiles {
		if p.Result == NotConformant {
			names = append(names, p.Name)
		}
	}
	return names
}

// String returns the verdict in one line.
func (v Verdict) String() string {
	text := string(v.Result)
	if counts := counted(v.Counts); counts != "" {
		text += ": " + counts
	}
	if names := v.notConformant(); len(names) > 0 {
		text += "; not conformant: " + strings.Join(names, ", ")
	}
	return text
}

// String returns the result of the profile in one line.
func (p Profile) String() string {
	text := string(p.Result)
	if p.Reason != "" {
		text += ", as " + p.Reason
	}
	if !p.Claimed {
		text += ", not claimed"
	}
	return text + ": " + counted(p.Counts)
}

// counted returns the number of specs with each outcome.
func counted(counts map[suite.Outcome]int) string {
	var all []string
	for _, o := range []suite.Outcome{suite.Passed, suite.Failed, suite.Skipped, suite.NotSupported, suite.NotApplicable} {
		if n := counts[o]; n > 0 {
			all = append(all, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(all, ", ")
}
