// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"testing"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// newJourneys returns journeys that start with the newest release.
func newJourneys(ids ...string) []suite.Spec {
	var all []suite.Spec
	for _, id := range ids {
		all = append(all, suite.Spec{
			ID: id, Description: "It upgrades.", Profile: "p", Component: env.Cluster,
			Journey: &journey.Journey{InitialCluster: journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: "kube-scheduler", Workers: 2}, Steps: func() []journey.Step { return nil }},
		})
	}
	return all
}

// command returns a shell process that writes the report of its journey with
// the given outcome, and an artifact if the journey failed.
func command(outcomes map[string]string, problem string) JourneyCommand {
	return func(ctx context.Context) *exec.Cmd {
		text := `config=$(cat); echo "config: $config"; `
		for id, outcome := range outcomes {
			text += fmt.Sprintf(`case "$config" in *'"IDs":[%[1]q]'*)
dir=$(printf '%%s' "$config" | sed 's/.*"Dir":"\([^"]*\)".*/\1/')/one; mkdir -p "$dir/artifacts/%[1]s"; [ %[2]s = failed ] || rmdir "$dir/artifacts/%[1]s"
printf 'apiVersion: draconform.dev/v1alpha1\nkind: Report\nrun: {id: one, started: "2026-03-01T12:00:00Z", duration: 9s, version: x}\ncluster: {provider: kind, name: c, workers: 2, components: []}\nsubject: {drivers: [], installed: false}\nfeatures: {}\nspecs:\n- {id: %[1]s, sentence: s, profile: p, judges: cluster, features: [], outcome: %[2]s, after: 3, seconds: 5}\nverdict: {result: %[4]s, counts: {}, rule: r%[3]s}\n' >"$dir/report.yaml";; esac; `, id, outcome, problem, verdictOf(outcome))
		}
		return exec.CommandContext(ctx, "sh", "-c", text)
	}
}

// hostFor returns a CheckHost for a host that can run at most this number of
// workers.
func hostFor(most int) CheckHost {
	return func(_ context.Context, workers ...int) string {
		sum := 0
		for _, n := range workers {
			sum += n
		}
		if sum > most {
			return "too little memory"
		}
		return ""
	}
}

// verdictOf returns the verdict of a run with one outcome.
func verdictOf(outcome string) string {
	if outcome == "failed" {
		return "failed"
	}
	return "passed"
}

// runJourneys runs journeys that leave no cluster, and returns what they have printed, too.
func runJourneys(t *testing.T, c Config, all []suite.Spec, cmd JourneyCommand) (report.Report, string, error) {
	var out bytes.Buffer
	c.Dir, c.Progress = t.TempDir(), progress.New(&out)
	remove := func(context.Context, leftCluster) error { return errors.New("no cluster was left") }
	got, err := journeysWith(t.Context(), remove, c, all, cmd, hostFor(2*max(c.Parallel, 1)), &out)
	return got, out.String(), err
}

// outcomesOf returns the outcomes by the ids of specs.
func outcomesOf(r report.Report) map[string]suite.Outcome {
	all := map[string]suite.Outcome{}
	for _, s := range r.Specs {
		all[s.ID] = s.Outcome
	}
	return all
}

// reportOf returns the path of the report that the output names.
func reportOf(out string) string {
	at := bytes.LastIndex([]byte(out), []byte("report: "))
	line, _, _ := bytes.Cut([]byte(out[at+len("report: "):]), []byte("\n"))
	return string(line)
}
