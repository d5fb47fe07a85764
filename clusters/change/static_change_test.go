// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/clusters/images"
	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/skew"
)

func TestEditChangesTheSchedulerAndBack(t *testing.T) {
	g := NewWithT(t)
	to := of(t, skew.Instance{Component: skew.Scheduler}, "1.36", "DRAConsumableCapacity=false")
	to.Scheduler = skew.DraconformScheduler
	ours, err := edit([]byte(schedulerYAML), to)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(ours.Image()).To(Equal(images.Scheduler.Ref))
	g.Expect(ours.Command()).To(Equal([]string{"/draconform-scheduler", "--feature-gates=DRAConsumableCapacity=false", "--emulated-version=1.36"}))
	text, err := ours.YAML()
	g.Expect(err).NotTo(HaveOccurred())
	to.Scheduler = skew.KubeScheduler
	back, err := edit(text, to)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(back.Image()).To(Equal("registry.k8s.io/kube-scheduler:v1.36.3"))
	g.Expect(back.Command()).To(Equal([]string{"kube-scheduler", "--feature-gates=DRAConsumableCapacity=false"}))
}

func TestStaticChangeAndRollback(t *testing.T) {
	g := NewWithT(t)
	c, f := newCluster(t, []fake.Answer{
		{Args: "exec c-control-plane", Has: "flock", Stdout: "swapped\n"},
		{Args: "exec c-control-plane", Stdout: "there\n" + schedulerYAML},
	}, schedulerLease(started))
	s := skew.Step{From: of(t, skew.Instance{Component: skew.Scheduler}, "1.36", "DRAConsumableCapacity=false"), To: of(t, skew.Instance{Component: skew.Scheduler}, "1.37", "default")}
	change, err := c.staticChange(t.Context(), s)
	g.Expect(err).NotTo(HaveOccurred())
	f.Forget()
	g.Expect(change.apply(t.Context())).To(Succeed())
	g.Expect(change.restore(t.Context())).To(Succeed())
	calls := f.Calls()
	g.Expect(calls).To(HaveLen(2))
	g.Expect(calls[0].Line).To(ContainSubstring(staticpod.Swap + " sh / kube-scheduler "))
	g.Expect(calls[0].Line).To(ContainSubstring("kube-scheduler:v1.37.2"))
	g.Expect(calls[0].Line).NotTo(ContainSubstring("DRAConsumableCapacity"))
	g.Expect(calls[1].Line).To(HaveSuffix("\n "+strings.TrimSpace(schedulerYAML)), "which stays if it is still in place")
	_, text, _ := strings.Cut(strings.TrimSuffix(calls[1].Line, strings.TrimSpace(schedulerYAML)), " sh / kube-scheduler ")
	back, before := parse(t, text), parse(t, schedulerYAML)
	g.Expect(back.UID()).NotTo(BeEmpty())
	g.Expect(back.Image()).To(Equal(before.Image()))
	g.Expect(back.Command()).To(Equal(before.Command()))
}

// The running pod may already have the wanted manifest. It is restarted in this
// case, too.
func TestStaticChangeReplacesAnUnsettledPod(t *testing.T) {
	g := NewWithT(t)
	c, f := newCluster(t, []fake.Answer{{Args: "exec c-control-plane", Has: "flock"}, {Args: "exec c-control-plane", Stdout: "there\n" + schedulerYAML}})
	s := skew.Step{From: of(t, skew.Instance{Component: skew.Scheduler}, "1.36", "DRAConsumableCapacity=false"), To: of(t, skew.Instance{Component: skew.Scheduler}, "1.36", "DRAConsumableCapacity=false")}
	s.From.Unsettled = "its pod is not ready"
	change, err := c.staticChange(t.Context(), s)
	g.Expect(err).NotTo(HaveOccurred())
	f.Forget()
	g.Expect(change.apply(t.Context())).To(Succeed())
	g.Expect(f.Lines()[0]).To(And(ContainSubstring("kube-scheduler:v1.36.3"), ContainSubstring("  uid: "), HaveSuffix("\nstatus: {}")))
}

// A stopped component is started with the new manifest. A rollback stops it
// again with the old manifest.
func TestStaticChangeOfAStoppedComponent(t *testing.T) {
	g := NewWithT(t)
	c, f := newCluster(t, []fake.Answer{{Args: "exec c-control-plane", Has: "flock"}, {Args: "exec c-control-plane", Stdout: "stopped\n" + schedulerYAML}})
	s := skew.Step{From: of(t, skew.Instance{Component: skew.Scheduler}, "1.36", "DRAConsumableCapacity=false"), To: of(t, skew.Instance{Component: skew.Scheduler}, "1.37", "default")}
	s.From.Stopped = true
	change, err := c.staticChange(t.Context(), s)
	g.Expect(err).NotTo(HaveOccurred())
	f.Forget()
	g.Expect(change.apply(t.Context())).To(Succeed())
	g.Expect(change.restore(t.Context())).To(Succeed())
	lines := f.Lines()
	g.Expect(lines[0]).To(ContainSubstring(staticpod.Swap + " sh / kube-scheduler "))
	g.Expect(lines[1]).To(HaveSuffix(staticpod.Stop + " sh / kube-scheduler " + strings.TrimSpace(schedulerYAML)))
}
