package requirements

import (
	"fmt"
	"strings"

	"github.com/draconform/draconform/e2e/suite"
)

// Outcome is what a run says of a requirement.
type Outcome string

// The outcomes.
const (
	// Proved: a spec that proves it passed, and none failed.
	Proved Outcome = "proved"
	// Failed: a spec that proves it failed.
	Failed Outcome = "failed"
	// NotSupported: the cluster cannot show it, because of its release, its
	// feature gates or its scheduler, or because it lacks what all specs need
	// that prove it. Specs that ran there say nothing of it.
	NotSupported Outcome = "not-supported"
	// NotRun: no spec that proves it passed or failed in this run.
	NotRun Outcome = "not-run"
	// Unproved: there is no such spec.
	Unproved Outcome = "unproved"
)

// Judgement is a requirement with what a run says of it.
type Judgement struct {
	Requirement `json:",inline"`
	Outcome     Outcome `json:"outcome"`
	// Reason is why it is not proved.
	Reason string `json:"reason,omitempty"`
}

// Cluster is what a run says of its cluster.
type Cluster struct {
	// Release is that of the API server, such as v1.37.1; empty if the run did
	// not get that far.
	Release string
	// Gates are the feature gates that are known to be on or off.
	Gates map[string]bool
	// Scheduler is "draconform" or "kube-scheduler"; empty if it is not known.
	Scheduler string
	// Several says that there was one for each journey, in the releases and with
	// the gates that it needs.
	Several bool
}

// Judge joins requirements with the outcomes of a run's specs by their ids, and
// keeps the order. A spec without an outcome was not part of the run. What the
// cluster cannot show is neither proved by specs that pass there nor broken by
// specs that fail.
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

// hidden says why a cluster cannot show the requirement, or nothing. What is not
// known of the cluster hides nothing: then specs find out what they need.
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

// judgeSpecs is the outcome in a cluster that can show it.
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
