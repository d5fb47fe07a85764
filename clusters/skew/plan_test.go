// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package skew

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
)

// The input of a case is a state with one instance per line: "kubelet/w1 1.36 alpha". The defaults are the newest
// release, the default gates and kube-scheduler.
func TestPlan(t *testing.T) {
	datadriven.RunTest(t, "testdata/plan", func(t *testing.T, d *datadriven.TestData) string {
		state := readState(t, d.Input)
		switch d.Cmd {
		case "plan":
			steps, err := state.Plan(readWant(t, d))
			return describe(steps, err)
		case "there-and-back":
			return planAndUndo(t, state, readWant(t, d))
		}
		t.Fatalf("unknown command %s", d.Cmd)
		return ""
	})
}

// planAndUndo plans a change, and then the change back to the original state.
func planAndUndo(t *testing.T, state State, w Want) string {
	t.Helper()
	g := NewWithT(t)
	there, err := state.Plan(w)
	g.Expect(err).NotTo(HaveOccurred())
	now := taken(state, there)
	again, err := now.Plan(w)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(BeEmpty(), "the target is reached")
	back, err := now.PlanTo(state)
	g.Expect(err).NotTo(HaveOccurred())
	for i, r := range taken(now, back) {
		g.Expect(r.Same(state[i])).To(BeTrue(), "%s has its original configuration", r.Instance)
	}
	return describe(there, nil) + "back\n" + describe(back, nil)
}

// After an interruption at any step of an upgrade, planning again returns the remaining steps.
func TestPlanResumesAfterEveryStep(t *testing.T) {
	g := NewWithT(t)
	state, w, whole := upgrade(t, "alpha")
	for done := range whole {
		rest, err := taken(state, whole[:done]).Plan(w)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(describe(rest, nil)).To(Equal(describe(whole[done:], nil)))
	}
}

// After an interruption at any step, planning for the original state returns only the steps that undo completed
// steps.
func TestPlanUndoesAfterEveryStep(t *testing.T) {
	g := NewWithT(t)
	state, _, whole := upgrade(t, "default")
	for done := range whole {
		back, err := taken(state, whole[:done]).PlanTo(state)
		g.Expect(err).NotTo(HaveOccurred())
		var did, undone []Instance
		for _, step := range whole[:done] {
			did = append(did, step.To.Instance)
		}
		for _, step := range slices.Backward(back) {
			undone = append(undone, step.To.Instance)
		}
		g.Expect(undone).To(ConsistOf(did))
		g.Expect(taken(taken(state, whole[:done]), back)).To(Equal(state))
		if done > 0 {
			g.Expect(undone[0]).To(Equal(Instance{Component: APIServer}), "the API server is never older than the others")
		}
	}
}

// A cluster is read before each change. The configuration of its components must suffice to undo an upgrade: a gate
// that is on by default in some releases stays on in a release in which it is not.
func TestPlanUndoesAnUpgradeAfterReadingItAgain(t *testing.T) {
	for _, set := range []string{"default", "off", "DRAConsumableCapacity=true", "DRAPartitionableDevices=true", "DRAConsumableCapacity=false"} {
		t.Run(set, func(t *testing.T) {
			g := NewWithT(t)
			state := seen(readState(t, "apiserver 1.35 "+set+"\nscheduler 1.35 "+set+"\nkubelet/w1 1.35 "+set))
			now := state
			for _, minor := range []string{"1.36", "1.35"} {
				r, err := clusters.FindRelease(minor)
				g.Expect(err).NotTo(HaveOccurred())
				steps, err := now.Plan(Want{Release: r})
				g.Expect(err).NotTo(HaveOccurred())
				now = seen(taken(now, steps))
			}
			g.Expect(now).To(Equal(state))
			g.Expect(now[0].Gates.Name()).To(Equal(set))
		})
	}
}

// seen returns the state as Read returns it, derived from the configured gates.
func seen(s State) State {
	s = slices.Clone(s)
	for i, r := range s {
		s[i].Gates, _ = gates.Of(r.Gates.FeatureGates(), r.Release)
	}
	return s
}

// upgrade returns an upgrade from 1.36 to 1.37 in six steps.
func upgrade(t *testing.T, gates string) (State, Want, []Step) {
	t.Helper()
	g := NewWithT(t)
	var lines []string
	for _, instance := range []string{"apiserver", "controller-manager", "scheduler", "kubelet/w1", "kubelet/w2", "proxy"} {
		lines = append(lines, instance+" 1.36 "+gates)
	}
	state := readState(t, strings.Join(lines, "\n"))
	newer, err := clusters.FindRelease("1.37")
	g.Expect(err).NotTo(HaveOccurred())
	w := Want{Release: newer}
	whole, err := state.Plan(w)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(whole).To(HaveLen(6))
	return state, w, whole
}

// taken returns the state after the steps.
func taken(s State, steps []Step) State {
	for _, step := range steps {
		s = s.with(step.To)
	}
	return s
}

func describe(steps []Step, err error) string {
	if err != nil {
		return "error: " + err.Error() + "\n"
	}
	if len(steps) == 0 {
		return "nothing to do\n"
	}
	var text strings.Builder
	for _, s := range steps {
		fmt.Fprintln(&text, s)
	}
	return text.String()
}

func readState(t *testing.T, input string) State {
	t.Helper()
	g := NewWithT(t)
	var s State
	for line := range strings.Lines(input) {
		fields := strings.Fields(line)
		component, node, _ := strings.Cut(fields[0], "/")
		r := Running{Instance: Instance{Component(component), node}, Release: clusters.Newest()}
		if r.Component == Scheduler {
			r.Scheduler = KubeScheduler
		}
		set := "default"
		for _, f := range fields[1:] {
			switch {
			case f == DraconformScheduler:
				r.Scheduler = f
			case f == "stopped":
				r.Stopped = true
			case f == "silent":
				r.Silent = true
			case f == "unsettled":
				r.Unsettled = "its pod is not ready"
			case strings.HasPrefix(f, "1."):
				found, err := clusters.FindRelease(f)
				if err != nil { // a patch version that is not the supported one
					found = clusters.Release{Minor: f[:strings.LastIndex(f, ".")], Version: f}
				}
				r.Release = found
			default:
				set = f
			}
		}
		var err error
		r.Gates, err = gates.Parse(set, r.Release)
		g.Expect(err).NotTo(HaveOccurred())
		s = append(s, r)
	}
	return s
}

func readWant(t *testing.T, d *datadriven.TestData) Want {
	t.Helper()
	g := NewWithT(t)
	var w Want
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "to":
			r, err := clusters.FindRelease(arg.Vals[0])
			if err != nil {
				r = clusters.Release{Minor: arg.Vals[0], Version: arg.Vals[0] + ".0"}
			}
			w.Release = r
		case "gates":
			w.Gates = strings.Join(arg.Vals, ",")
		case "scheduler":
			w.Scheduler = arg.Vals[0]
		case "component":
			for _, c := range arg.Vals {
				w.Components = append(w.Components, Component(c))
			}
		case "node":
			w.Nodes = arg.Vals
		default:
			g.Expect(arg.Key).To(BeEmpty(), "an argument that is not known")
		}
	}
	return w
}
