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

// Judgement is a requirement with its outcome in a run.
type Judgement struct {
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

// Judge combines requirements with the outcomes of a run's specs by their ids
// and keeps the order. A spec without an outcome was not part of the run. A
// requirement that cannot be observed in the cluster is neither proved by
// passed specs nor violated by failed ones.
func Judge(all []Requirement, cluster Cluster, outcomes map[string]suite.Outcome) []Judgement {
	judged := make([]Judgement, 0, len(all))
	for _, r := range all {
		outcome, reason := r.judge(cluster, outcomes)
		judged = append(judged, Judgement{r, outcome, reason})
	}
	return judged
}

func (r Requirement) judge(cluster Cluster, outcomes map[string]suite.Outcome) (Outcome, string) {
	if r.Unproved != nil {
		return Unproved, r.Unproved.String()
	}
	if cluster.Several {
		return r.judgeSpecs(outcomes)
	}
	if minorOf(cluster.Release) == "" {
		return NotRun, "the release of the cluster is not known"
	}
	if why := r.hidden(cluster); why != "" {
		return NotSupported, why
	}
	return r.judgeSpecs(outcomes)
}

// hidden states why a requirement cannot be observed in a cluster. It returns
// an empty string if it can. Unknown properties of the cluster are ignored: in
// that case the specs detect what they need.
func (r Requirement) hidden(cluster Cluster) string {
	if !r.ObservableIn(cluster.Release) {
		return fmt.Sprintf("release %s cannot show it, only %s", cluster.Release, r.Releases())
	}
	for _, g := range r.Gates {
		name, off := strings.CutSuffix(g, "=false")
		on, known := cluster.Gates[name]
		switch {
		case known && on && off:
			return fmt.Sprintf("the feature gate %s is on", name)
		case known && !on && !off:
			return fmt.Sprintf("the feature gate %s is off", name)
		}
	}
	if r.Scheduler != "" && cluster.Scheduler != "" && r.Scheduler != cluster.Scheduler {
		return fmt.Sprintf("only scheduler %s can show it, and the cluster has %s", r.Scheduler, cluster.Scheduler)
	}
	return ""
}

// judgeSpecs returns the outcome in a cluster in which the requirement can be
// observed.
func (r Requirement) judgeSpecs(outcomes map[string]suite.Outcome) (Outcome, string) {
	var failed, idle []string
	unsupported := 0
	for _, spec := range r.Specs {
		switch outcome := outcomes[spec]; outcome {
		case suite.Passed:
		case suite.Failed:
			failed = append(failed, spec)
		case "":
			idle = append(idle, spec+" was not part of the run")
		default:
			if outcome == suite.NotSupported {
				unsupported++
			}
			idle = append(idle, fmt.Sprintf("%s is %s", spec, outcome))
		}
	}
	switch {
	case len(failed) > 0:
		return Failed, "failed: " + strings.Join(failed, ", ")
	case unsupported == len(r.Specs):
		return NotSupported, strings.Join(idle, "; ")
	case len(idle) == len(r.Specs):
		return NotRun, strings.Join(idle, "; ")
	}
	return Proved, ""
}
