// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/spf13/cobra"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/skew"
)

const up, down = +1, -1

// running returns the state of a cluster with two workers. Its instances run
// the release minor, except those in others.
func running(t *testing.T, minor string, others map[string]string) skew.State {
	t.Helper()
	g := NewWithT(t)
	var state skew.State
	for _, name := range []string{"apiserver", "controller-manager", "scheduler", "kubelet/w1", "kubelet/w2", "proxy"} {
		component, node, _ := strings.Cut(name, "/")
		r := skew.Running{Instance: skew.Instance{Component: skew.Component(component), Node: node}}
		if r.Component == skew.Scheduler {
			r.Scheduler = skew.KubeScheduler
		}
		release := minor
		if other, ok := others[name]; ok {
			release = other
		}
		var err error
		r.Release, err = clusters.FindRelease(release)
		g.Expect(err).NotTo(HaveOccurred())
		r.Gates, err = gates.Parse("default", r.Release)
		g.Expect(err).NotTo(HaveOccurred())
		state = append(state, r)
	}
	return state
}

// move returns the command "draconform cluster upgrade" or "downgrade" with the
// given flags.
func move(t *testing.T, direction int, to string, components []string, nodes ...string) *clusterChange {
	t.Helper()
	g := NewWithT(t)
	c := &clusterChange{components: components}
	c.want.Nodes = nodes
	var err error
	c.want.Release, err = clusters.FindRelease(to)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.readComponents()).To(Succeed())
	c.check = func(s skew.State) error { return checkDirection(s, c.want, direction) }
	return c
}

// A change that the state of the cluster does not allow is a usage error,
// because nothing was changed.
func TestPlanErrorsAreUsageErrors(t *testing.T) {
	gatesOf := func(set string) *clusterChange { return &clusterChange{want: skew.Want{Gates: set}} }
	for name, test := range map[string]struct {
		command *clusterChange
		want    string
	}{
		"an unknown node":                     {move(t, up, "1.36", nil, "w9"), `node "w9" is not known, use one of w1, w2`},
		"a jump over a minor release":         {move(t, up, "1.37", nil), "cannot go from 1.35 to 1.37 at once"},
		"a kubelet newer than its API server": {move(t, up, "1.36", nil, "w1"), "kubelet of w1 would run 1.36 with an API server of 1.35"},
		"a gate that the release lacks":       {gatesOf("DRADerivedAttributes=true"), `"DRADerivedAttributes" is not known in Kubernetes 1.35`},
		"the wrong command":                   {move(t, up, "1.34", nil), `use "draconform cluster downgrade"`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			steps, err := test.command.plan(running(t, "1.35", nil))
			g.Expect(err).To(MatchError(ContainSubstring(test.want)))
			g.Expect(errors.Is(err, errUsage)).To(BeTrue(), "exit status 2")
			g.Expect(steps).To(BeEmpty())
		})
	}
}

// A cluster with components both older and newer than a release can be moved to
// it.
func TestPlanOfMixedClusters(t *testing.T) {
	kubelets := []string{"kubelet"}
	for name, test := range map[string]struct {
		command *clusterChange
		want    string // The last step, or the error.
	}{
		"down, older kubelet is upgraded": {move(t, down, "1.36", nil), "apiserver: 1.37.2 to 1.36.3"},
		"not up with a newer API server": {
			move(t, up, "1.36", nil), `apiserver runs 1.37.2, which is newer than 1.36.3: use "draconform cluster downgrade", or select other components with --component and --node`,
		},
		"up with an older kubelet": {move(t, up, "1.36", nil, "w1"), "kubelet of w1: 1.34.4 to 1.36.3"},
		"not down with an older kubelet": {
			move(t, down, "1.36", nil, "w1"), `kubelet of w1 runs 1.34.4, which is older than 1.36.3: use "draconform cluster upgrade", or select other components with --component and --node`,
		},
		"up with kubelets":         {move(t, up, "1.36", kubelets), "kubelet of w1: 1.34.4 to 1.36.3"},
		"down with kubelets":       {move(t, down, "1.36", kubelets), "kubelet of w1: 1.34.4 to 1.36.3"},
		"up to the others":         {move(t, up, "1.37", nil), "kubelet of w1: 1.34.4 to 1.37.2"},
		"not down to the others":   {move(t, down, "1.37", nil), `kubelet of w1 runs 1.34.4, which is older than 1.37.2: use "draconform cluster upgrade", or select other components with --component and --node`},
		"down to the same release": {move(t, down, "1.37", nil, "w2"), ""},
		"up to the same release":   {move(t, up, "1.37", nil, "w2"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			steps, err := test.command.plan(running(t, "1.37", map[string]string{"kubelet/w1": "1.34"}))
			got := ""
			if err != nil {
				got = err.Error()
			} else if len(steps) > 0 {
				got = steps[len(steps)-1].String()
			}
			NewWithT(t).Expect(got).To(Equal(test.want))
		})
	}
}

func TestWithResumeHint(t *testing.T) {
	g := NewWithT(t)
	failed := errors.New("no image")
	g.Expect(withResumeHint(failed, 0)).To(MatchError("no image"))
	g.Expect(withResumeHint(failed, 2)).To(MatchError("no image\ncompleted steps are kept; the same command continues with the failed step"))
}

// A dry run prints the steps as text, and for programs with what they change.
func TestPlannedChangeIsPrinted(t *testing.T) {
	steps, err := move(t, up, "1.36", nil, "w1").plan(running(t, "1.37", map[string]string{"kubelet/w1": "1.34"}))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	NewWithT(t).Expect(steps).To(HaveLen(1))
	const step = "kubelet of w1: 1.34.4 to 1.36.3\n"
	for name, test := range map[string]struct {
		steps []skew.Step
		image *plannedImage
		want  string
	}{
		"with its node image":          {steps, &plannedImage{Version: "1.36.3", Name: "kindest/node:v1.36.3"}, step + "from node image kindest/node:v1.36.3\n"},
		"with one that is to be built": {steps, &plannedImage{Version: "1.36.3"}, step + "the node image of 1.36.3 is not available: it would be pulled or built first\n"},
		"of gates":                     {steps, nil, step},
		"without steps":                {nil, nil, "nothing to change\n"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			planned := plannedChange{Steps: plannedSteps(test.steps), NodeImage: test.image}
			printed := func(output string) string {
				var out bytes.Buffer
				cmd := &cobra.Command{}
				cmd.SetOut(&out)
				g.Expect(planned.print(cmd, output)).To(Succeed())
				return out.String()
			}
			g.Expect(printed("text")).To(Equal(test.want))
			var got plannedChange
			g.Expect(json.Unmarshal([]byte(printed("json")), &got)).To(Succeed())
			g.Expect(got).To(Equal(planned))
			g.Expect(printed("json")).NotTo(ContainSubstring("null"))
			g.Expect(printed("yaml")).To(ContainSubstring("steps:"))
		})
	}
	NewWithT(t).Expect(plannedSteps(steps)[0]).To(Equal(plannedStep{
		Text: "kubelet of w1: 1.34.4 to 1.36.3",
		From: instanceStatus{Component: skew.Kubelet, Node: "w1", Version: "1.34.4", Gates: "default"},
		To:   instanceStatus{Component: skew.Kubelet, Node: "w1", Version: "1.36.3", Gates: "default"},
	}))
}
