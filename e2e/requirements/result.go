package requirements

import (
	"fmt"
	"strings"

	"github.com/draconform/draconform/e2e/suite"
)

// Outcome is the result of a run for a requirement.
type Outcome string

// The outcomes.
const (
	// Proved: a spec that proves it passed, and none failed.
	Proved Outcome = "proved"
	// Failed: a spec that proves it failed.
	Failed Outcome = "failed"
	// NotSupported: the requirement cannot be observed in the cluster, because
	// of its release, its feature gates or its scheduler, or because all specs
	// that prove it are not supported there. Specs that ran in such a cluster
	// do not count.
	NotSupported Outcome = "not-supported"
	// NotRun: no spec that proves it passed or failed in this run.
	NotRun Outcome = "not-run"
	// Unproved: no spec proves it.
	Unproved Outcome = "unproved"
)

// Result is a requirement with its outcome in a run.
type Result struct {
	Requirement `json:",inline"`
	Outcome     Outcome `json:"outcome"`
	// Reason states why it is not proved.
	Reason string `json:"reason,omitempty"`
}

// Cluster describes the cluster of a run.
type Cluster struct {
	// Release is the release of the API server, such as v1.37.1. It is empty if
	// the run ended before it was known.
	Release string
	// Gates are the known states of feature gates.
	Gates map[string]bool
	// Scheduler is "draconform" or "kube-scheduler". It is empty if unknown.
	Scheduler string
	// Several states that each journey had its own cluster with the releases
	// and gates that it needs.
	Several bool
}

// Evaluate combines requirements with the outcomes of a run's specs by their
// ids and keeps the order. A spec without an outcome was not part of the run. A
// requirement that cannot be observed in the cluster is neither proved by
// passed specs nor violated by failed ones.
func Evaluate(all []Requirement, cluster Cluster, outcomes map[string]suite.Outcome) []Result {
	results := make([]Result, 0, len(all))
	for _, r := range all {
		outcome, reason := r.evaluate(cluster, outcomes)
		results = append(results, Result{r, outcome, reason})
	}
	return results
}

func (r Requirement) evaluate(cluster Cluster, outcomes map[string]suite.Outcome) (Outcome, string) {
	if r.Unproved != nil {
		return Unproved, r.Unproved.String()
	}
	if cluster.Several {
		return r.evaluateSpecs(outcomes)
	}
	if minorOf(cluster.Release) == "" {
		return NotRun, "the release of the cluster is unknown"
	}
	if why := r.notObservable(cluster); why != "" {
		return NotSupported, why
	}
	return r.evaluateSpecs(outcomes)
}

// notObservable states why a requirement cannot be observed in a cluster. It
// returns an empty string if it can. Unknown properties of the cluster are
// ignored: in that case the specs detect what they need.
func (r Requirement) notObservable(cluster Cluster) string {
	if !r.ObservableIn(cluster.Release) {
		return fmt.Sprintf("it cannot be observed in release %s, only in %s", cluster.Release, r.Releases())
	}
	for _, g := range r.Gates {
		name, off := strings.CutSuffix(g, "=false")
		on, known := cluster.Gates[name]
		switch {
		case known && on && off:
			return fmt.Sprintf("the feature gate %s is enabled", name)
		case known && !on && !off:
			return fmt.Sprintf("the feature gate %s is disabled", name)
		}
	}
	if r.Scheduler != "" && cluster.Scheduler != "" && r.Scheduler != cluster.Scheduler {
		return fmt.Sprintf("it can only be observed with scheduler %s, the cluster has %s", r.Scheduler, cluster.Scheduler)
	}
	return ""
}

// evaluateSpecs returns the outcome in a cluster in which the requirement can
// be observed.
func (r Requirement) evaluateSpecs(outcomes map[string]suite.Outcome) (Outcome, string) {
	var failed, notRun []string
	unsupported := 0
	for _, spec := range r.Specs {
		switch outcome := outcomes[spec]; outcome {
		case suite.Passed:
		case suite.Failed:
			failed = append(failed, spec)
		case "":
			notRun = append(notRun, spec+" was not part of the run")
		default:
			if outcome == suite.NotSupported {
				unsupported++
			}
			notRun = append(notRun, fmt.Sprintf("%s is %s", spec, outcome))
		}
	}
	switch {
	case len(failed) > 0:
		return Failed, "failed: " + strings.Join(failed, ", ")
	case unsupported == len(r.Specs):
		return NotSupported, strings.Join(notRun, "; ")
	case len(notRun) == len(r.Specs):
		return NotRun, strings.Join(notRun, "; ")
	}
	return Proved, ""
}
