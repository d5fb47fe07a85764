// Package suite runs specs against a cluster and a driver. It reports the
// outcome of each spec and the reason for it.
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

// Judged is the component that a spec judges.
type Judged string

// The components that specs judge.
const (
	JudgesDriver    Judged = "driver"
	JudgesKubelet   Judged = "kubelet"
	JudgesScheduler Judged = "scheduler"
	JudgesCluster   Judged = "cluster"
)

// Spec is one behaviour that a cluster and its driver must have.
type Spec struct {
	// ID is the stable name of the spec. It consists of lower-case words joined
	// by dashes.
	ID string
	// Sentence is the description of the behaviour.
	Sentence string
	// Profile is the name of a set of specs with a conformance claim.
	Profile string
	// Features lists the needed features, in addition to those that the devices
	// need. Without one of them the outcome is NotSupported.
	Features []features.Feature
	// Without lists features that must be absent. With one of them the outcome
	// is NotApplicable.
	Without []features.Feature
	// Judges is the component that is responsible for a failure.
	Judges Judged
	// Kinds lists the kinds of devices that the spec uses. If no driver offers
	// one of them, the outcome is NotApplicable.
	Kinds []subject.Kind
	// Nodes is the minimum number of worker nodes. With fewer the outcome is
	// NotApplicable.
	Nodes int
	// Smoke adds the label smoke. The smoke specs show in a short time whether
	// it makes sense to run the others.
	Smoke bool
	// Since is the first release of Kubernetes with the behaviour, such as
	// 1.35. With an older API server, or an older component that the spec
	// judges, the outcome is NotApplicable. Empty means all releases.
	Since string
	// Needs lists what the spec needs in addition to the API. Without one of
	// them the outcome is NotApplicable.
	Needs []Need
	// Requirements lists the IDs of the requirements that the spec proves (see
	// the package requirements). The spec fails if one of them is violated. The
	// list is empty if no requirement covers the behaviour.
	Requirements []string
	// Body asserts the behaviour. It fails through Gomega.
	Body func(ctx context.Context, e *Env)
	// Journey replaces Body for a scenario that changes the cluster. If the
	// cluster cannot be changed, or differs from the start of the journey, the
	// outcome is NotApplicable.
	Journey *Journey
}

// Labels returns the labels of the spec for label filters: its profile, the
// component that it judges, the features that it needs, and "smoke" for smoke
// specs.
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

// Outcome is the outcome of a spec.
type Outcome string

// The outcomes of specs.
const (
	// Passed means that the cluster has the behaviour.
	Passed Outcome = "passed"
	// Failed means that the cluster lacks the behaviour, or that the spec could
	// not check it.
	Failed Outcome = "failed"
	// Skipped means that the selection excludes the spec, or that the run ended
	// before the spec did.
	Skipped Outcome = "skipped"
	// NotSupported means that the cluster lacks a feature.
	NotSupported Outcome = "not-supported"
	// NotApplicable means that the spec does not apply to the cluster, for
	// example because the cluster is too small or too old, or because the run
	// must not do what the spec needs.
	NotApplicable Outcome = "not-applicable"
)

// Result is the result of one spec.
type Result struct {
	Spec    Spec
	Outcome Outcome
	Reason  string // why the spec did not pass
	// Started is the start time. It is zero if the spec did not run.
	Started  time.Time
	Duration time.Duration
	// Steps lists the steps of the spec, in order.
	Steps []Step
	// Stops lists the results of the steps of a journey that ran.
	Stops []StopResult
}

// Step is a part of a spec. It lasts until the next step begins.
type Step struct {
	Started time.Time
	Text    string
}

// unfit returns the outcome of a spec that cannot run, and the reason. Both are
// empty if the spec can run.
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

// Alone reports whether the spec must not run in parallel with others, because
// it disturbs what they use, or because they could disturb it. Other specs can
// run in parallel with specs that use other drivers.
func (s Spec) Alone() bool {
	beside := []Need{NeedsStage, NeedsClasses, NeedsDrivers}
	return s.Journey != nil || slices.ContainsFunc(s.Needs, func(n Need) bool { return !slices.Contains(beside, n) })
}

// Fit returns the specs that can run in a situation.
func Fit(specs []Spec, there Situation) []Spec {
	return slices.DeleteFunc(slices.Clone(specs), func(s Spec) bool {
		outcome, _ := s.unfit(there)
		return outcome != ""
	})
}

// KnownLabels returns the labels of all specs, sorted.
func KnownLabels(specs []Spec) []string {
	var all []string
	for _, s := range specs {
		all = append(all, s.Labels()...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Check validates the fields of specs and returns the first error.
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
