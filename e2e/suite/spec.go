// Package suite runs specs against a cluster and a driver, and says of each
// what came out and why.
package suite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/semver"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
)

// Judged is what a spec passes judgement on.
type Judged string

// What specs judge.
const (
	JudgesDriver    Judged = "driver"
	JudgesKubelet   Judged = "kubelet"
	JudgesScheduler Judged = "scheduler"
	JudgesCluster   Judged = "cluster"
)

// Spec is one behaviour that a cluster and its driver must have.
type Spec struct {
	// ID is the spec's stable name, lower-case words joined by dashes.
	ID string
	// Sentence says what is promised.
	Sentence string
	// Profile is the group of specs that are claimed together.
	Profile string
	// Features are needed, beside what the devices need that it uses; without one
	// of them the outcome is NotSupported.
	Features []features.Feature
	// Without are features that must be absent; with one of them the outcome is
	// NotApplicable.
	Without []features.Feature
	// Judges is who is to blame for a failure.
	Judges Judged
	// Kinds are the kinds of devices that it uses; if one is not offered the
	// outcome is NotApplicable.
	Kinds []subject.Kind
	// Nodes is how many worker nodes are needed; with fewer the outcome is
	// NotApplicable.
	Nodes int
	// Smoke gives it the label smoke: the few that tell in a short time whether a
	// cluster is worth a closer look.
	Smoke bool
	// Since is the first release of Kubernetes that promises it, such as 1.35;
	// with an older API server, or with something older to judge, the outcome is
	// NotApplicable. Empty means that all releases do.
	Since string
	// Needs are what it must be able to do beside using the API; without one
	// of them the outcome is NotApplicable.
	Needs []Need
	// Requirements are the ids of those that it proves (see the package
	// requirements): whatever breaks one of them makes it fail. None, if it is
	// about something that is in no requirement.
	Requirements []string
	// Body asserts the behaviour. It fails through Gomega.
	Body func(ctx context.Context, e *Env)
	// Journey, instead of a body, changes the cluster on the way; where that
	// cannot be, or in another cluster, the outcome is NotApplicable.
	Journey *Journey
}

// Labels are what a label filter can choose the spec by: its profile, what it
// judges, the features that it needs, and "smoke" for a few.
func (s Spec) Labels() []string {
	labels := []string{s.Profile, string(s.Judges)}
	for _, f := range s.Features {
		labels = append(labels, string(f))
	}
	if s.Smoke {
		labels = append(labels, smokeLabel)
	}
	slices.Sort(labels)
	return slices.Compact(labels)
}

const smokeLabel = "smoke"

// Outcome is what came out of a spec.
type Outcome string

// The outcomes.
const (
	// Passed: the behaviour is there.
	Passed Outcome = "passed"
	// Failed: it is not, or it could not be told.
	Failed Outcome = "failed"
	// Skipped: the caller's selection left it out.
	Skipped Outcome = "skipped"
	// NotSupported: the cluster lacks a feature.
	NotSupported Outcome = "not-supported"
	// NotApplicable: the cluster is too small or too old, or out of the run's
	// reach.
	NotApplicable Outcome = "not-applicable"
)

// Result is the outcome of one spec.
type Result struct {
	Spec    Spec
	Outcome Outcome
	Reason  string // why it did not pass
	// Started is when it began to run; zero if it did not.
	Started  time.Time
	Duration time.Duration
	// Steps are what it did, in order.
	Steps []Step
	// Stops are those of a journey that began.
	Stops []StopResult
}

// Step is a part of a spec's run. It lasts until the next one begins.
type Step struct {
	Started time.Time
	Text    string
}

// unfit says why a spec cannot judge what it finds, or nothing.
func (s Spec) unfit(there Situation) (Outcome, string) {
	if why := there.Found.Missing(slices.Concat(s.Features, there.Subject.Needs(s.Kinds))); why != "" {
		return NotSupported, why
	}
	for _, f := range s.Without {
		if p := there.Found[f]; p.Present {
			return NotApplicable, fmt.Sprintf("is about clusters without feature %s: %s", f, p.Source)
		}
	}
	if s.Journey != nil {
		if why := s.Journey.Start.unlike(there); why != "" {
			return NotApplicable, why
		}
	}
	if there.Workers < s.Nodes {
		return NotApplicable, fmt.Sprintf("needs %d worker nodes, the cluster has %d", s.Nodes, there.Workers)
	}
	if why := there.Subject.Missing(s.Kinds); why != "" {
		return NotApplicable, why
	}
	if why := there.tooOld(s.Since, s.Judges); why != "" {
		return NotApplicable, why
	}
	for _, need := range s.Needs {
		if why := there.lacks(need); why != "" {
			return NotApplicable, why
		}
	}
	return "", ""
}

// Alone reports whether it must run when no other spec does: it disturbs what all
// of them use, or others could disturb it. Otherwise only specs that use devices
// of the same driver concern it.
func (s Spec) Alone() bool {
	beside := []Need{NeedsStage, NeedsClasses, NeedsDrivers}
	return s.Journey != nil || slices.ContainsFunc(s.Needs, func(n Need) bool { return !slices.Contains(beside, n) })
}

// Fit returns the specs that can judge what they find.
func Fit(specs []Spec, there Situation) []Spec {
	return slices.DeleteFunc(slices.Clone(specs), func(s Spec) bool {
		outcome, _ := s.unfit(there)
		return outcome != ""
	})
}

// KnownLabels are the labels that the specs have, sorted.
func KnownLabels(specs []Spec) []string {
	var all []string
	for _, s := range specs {
		all = append(all, s.Labels()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Check returns what is wrong with how specs are described.
func Check(specs []Spec) error {
	seen := map[string]bool{}
	for _, s := range specs {
		switch {
		case s.ID == "" || strings.Trim(s.ID, "abcdefghijklmnopqrstuvwxyz0123456789-") != "":
			return fmt.Errorf("spec id %q must consist of lower-case letters, digits and dashes", s.ID)
		case seen[s.ID]:
			return fmt.Errorf("spec id %q is given twice", s.ID)
		case s.Since != "" && !semver.IsValid("v"+s.Since):
			return fmt.Errorf("spec %s is promised since %q, which is no release", s.ID, s.Since)
		case s.Sentence == "" || s.Profile == "" || s.Judges == "" || (s.Body == nil) == (s.Journey == nil):
			return fmt.Errorf("spec %s lacks a sentence, a profile, what it judges, or a body or else a journey", s.ID)
		}
		seen[s.ID] = true
	}
	return nil
}
