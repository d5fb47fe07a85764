// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/progress"
)

// leaving returns a command that also leaves its cluster if another journey can take it.
func leaving(cmd JourneyCommand) JourneyCommand {
	return func(ctx context.Context) *exec.Cmd {
		c := cmd(ctx)
		c.Args[2] += `case "$config" in *'"handsOn":true'*) printf '{"name":"left","kubeconfig":"/k"}' >"$dir/left.json";; esac`
		return c
	}
}

func TestJourneysHandClustersOn(t *testing.T) {
	g := NewWithT(t)
	all := newJourneys("up", "down", "again")
	all[1].Journey.InitialCluster.Gates = "alpha"
	var out bytes.Buffer
	var removed removals
	passed := leaving(command(map[string]string{"up": "passed", "down": "passed", "again": "passed"}, ""))
	_, err := journeysWith(t.Context(), removed.remove, Config{Dir: t.TempDir(), Progress: progress.New(&out)}, all, passed, hostFor(2), &out)
	g.Expect(err).NotTo(HaveOccurred())
	configs := linesWith(out.String(), "config: ")
	g.Expect(configs).To(HaveLen(3))
	g.Expect(configs[0]).To(And(ContainSubstring(`"handsOn":true`), Not(ContainSubstring("taken"))), "another journey starts with such a cluster")
	g.Expect(configs[1]).NotTo(Or(ContainSubstring("handsOn"), ContainSubstring("taken")), "its cluster is of no use to others")
	g.Expect(configs[2]).To(And(ContainSubstring(`"taken":{"name":"left","kubeconfig":"/k"}`), Not(ContainSubstring("handsOn"))))
	g.Expect(removed).To(ConsistOf("left"), "no journey has left it again")
}

// The process of the second journey ends before it has a report, and thus possibly before
// it has taken the cluster of the first.
func TestTakenClustersAreRemovedIfTheirJourneyDoesNotBegin(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	var removed removals
	passed := leaving(command(map[string]string{"up": "passed"}, ""))
	_, err := journeysWith(t.Context(), removed.remove, Config{Dir: t.TempDir(), Progress: progress.New(&out)}, newJourneys("up", "again"), passed, hostFor(2), &out)
	g.Expect(err).To(MatchError(ContainSubstring("journey again: ")))
	g.Expect(removed).To(ConsistOf("left"))
}

func TestJourneysKeepTheirOwnClusters(t *testing.T) {
	g := NewWithT(t)
	_, out, err := runJourneys(t, Config{Keep: true}, newJourneys("up", "again"), leaving(command(map[string]string{"up": "passed", "again": "passed"}, "")))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(out).NotTo(Or(ContainSubstring("handsOn"), ContainSubstring("taken")))
}

// linesWith returns the lines that contain a text.
func linesWith(out, text string) []string {
	return slices.DeleteFunc(strings.Split(out, "\n"), func(line string) bool { return !strings.Contains(line, text) })
}
