// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/skew"
)

// managerYAML is a manifest like that of the scheduler.
var managerYAML = strings.ReplaceAll(schedulerYAML, "kube-scheduler", "kube-controller-manager")

// nodeAnswers returns the answers of nodes with static pods of 1.36 and the
// given images. The kubelet reports no pods.
func nodeAnswers(images string) []fake.Answer {
	const controlPlane = "exec c-control-plane"
	return []fake.Answer{
		{Args: controlPlane, Has: "flock", Stdout: "uid-1\n"},
		{Args: controlPlane, Has: "tail -n 15", Stdout: "last log line\n"},
		{Args: controlPlane, Has: staticpod.LogNumber, Stdout: "0\n"},
		{Args: controlPlane, Has: "127.0.0.1:10250/pods", Stdout: "{}"},
		{Args: controlPlane, Has: "ctr --namespace", Stdout: images + "in-place Kubernetes v1.36.3\n"},
		{Args: controlPlane, Has: "sh / kube-controller-manager", Stdout: "there\n" + managerYAML},
		{Args: controlPlane, Has: "sh / kube-scheduler", Stdout: "there\n" + schedulerYAML},
		{Args: "exec c-worker", Has: "ctr --namespace", Stdout: "in-place Kubernetes v1.36.3\n"},
	}
}

const newerImages = "registry.k8s.io/kube-controller-manager:v1.37.2\nregistry.k8s.io/kube-scheduler:v1.37.2\n"

// upgrades returns steps for the controller manager and the scheduler. Both are
// unsettled.
func upgrades(t *testing.T) []skew.Step {
	t.Helper()
	var steps []skew.Step
	for _, component := range []skew.Component{skew.ControllerManager, skew.Scheduler} {
		i := skew.Instance{Component: component}
		s := skew.Step{From: of(t, i, "1.36", "DRAConsumableCapacity=false"), To: of(t, i, "1.37", "default")}
		s.From.Unsettled = "its pod is not ready" // so that the rollback does not wait for it
		if component == skew.Scheduler {
			s.From.Scheduler, s.To.Scheduler = "kube-scheduler", "kube-scheduler"
		}
		steps = append(steps, s)
	}
	return steps
}

// changes returns the calls that change a node.
func changes(f *fake.Commands) []string {
	var found []string
	for _, line := range f.Lines() {
		if strings.Contains(line, "flock") {
			found = append(found, line)
		}
	}
	return found
}

func TestApplyChangesNothingIfAComponentIsUnavailable(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, append(nodeAnswers(""), fake.Answer{Args: "image", Exit: 1, Stderr: "no space left\n"})...)
	err := Apply(t.Context(), p, upgrades(t), Options{})
	g.Expect(err).To(MatchError(And(HavePrefix("get the components of Kubernetes 1.37.2: "), ContainSubstring("no space left"))))
	g.Expect(changes(f)).To(BeEmpty())
}

func TestApplyStopsAtAFailedStep(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, nodeAnswers(newerImages)...)
	var done []skew.Step
	// The timeout leaves a busy machine the time for several commands.
	err := Apply(t.Context(), p, upgrades(t), Options{Timeout: 10 * time.Second, After: func(_ context.Context, s skew.Step) error { done = append(done, s); return nil }})
	g.Expect(err).To(MatchError("controller-manager: 1.36.3 to 1.37.2, gates DRAConsumableCapacity=false to default: wait until it is ready: " +
		"timed out after 10s: its kubelet has not started the pod; last lines of its log:\nlast log line\nit was rolled back"))
	g.Expect(done).To(BeEmpty())
	made := changes(f)
	g.Expect(made).To(HaveLen(2), "the scheduler is not touched")
	g.Expect(made[0]).To(And(ContainSubstring("sh / kube-controller-manager "), ContainSubstring("kube-controller-manager:v1.37.2")))
	g.Expect(made[1]).To(And(ContainSubstring("sh / kube-controller-manager "), HaveSuffix(strings.TrimSpace(managerYAML))))
}

func TestApplyStopsWhenItIsInterrupted(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, nodeAnswers(newerImages)...)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Apply(ctx, p, upgrades(t), Options{}) }()
	g.Eventually(func() []string { return changes(f) }).WithTimeout(time.Minute).Should(HaveLen(1))
	cancel()
	err := <-ended
	g.Expect(errors.Is(err, context.Canceled)).To(BeTrue(), "%v", err)
	made := changes(f)
	g.Expect(made).To(HaveLen(2))
	g.Expect(made[1]).To(HaveSuffix(strings.TrimSpace(managerYAML)))
}

func TestApplyRejectsOutdatedSteps(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, nodeAnswers(newerImages)...)
	steps := upgrades(t)
	steps[1].From = of(t, skew.Instance{Component: skew.Scheduler}, "1.35", "default")
	g.Expect(Apply(t.Context(), p, steps, Options{})).To(MatchError("scheduler was changed after this change was planned: plan it again"))
	g.Expect(changes(f)).To(BeEmpty())
}

// Two concurrent changes of a cluster would revert each other.
func TestConcurrentChangesAreRejected(t *testing.T) {
	g := NewWithT(t)
	p, f := newProvider(t, nodeAnswers(newerImages)...)
	c, err := open(t.Context(), p)
	g.Expect(err).NotTo(HaveOccurred())
	unlock, err := c.lock()
	g.Expect(err).NotTo(HaveOccurred())
	scheduler := skew.Instance{Component: skew.Scheduler}
	rejected := MatchError(HaveSuffix("another command is changing cluster c: try again when it is done"))
	g.Expect(Apply(t.Context(), p, upgrades(t), Options{})).To(rejected)
	g.Expect(Stop(t.Context(), p, scheduler, DefaultTimeout)).To(rejected)
	g.Expect(Start(t.Context(), p, scheduler, DefaultTimeout)).To(rejected)
	g.Expect(changes(f)).To(BeEmpty())
	unlock()
	unlock, err = c.lock()
	g.Expect(err).NotTo(HaveOccurred())
	unlock()
}
