// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/control"
)

// later runs a call in the background.
func later(call func() error) <-chan error {
	ended := make(chan error, 1)
	go func() { ended <- call() }()
	return ended
}

// calls waits for a number of calls after the given one, and returns them.
func (r *running) calls(driver string, after, count int) []calls.Call {
	r.tb.Helper()
	var log []calls.Call
	r.g.Eventually(func() ([]calls.Call, error) {
		var err error
		log, err = r.Calls(r.tb.Context(), driver, after)
		return log, err
	}, "1m").Should(HaveLen(count))
	return log
}

// Guards that a claim stays prepared while unpreparing it fails.
func TestUnprepareFails(t *testing.T) {
	claim := newClaim(second, "gpu-0", "claim")
	r := start(t, claim)
	_, err := r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	kubelet := r.kubelet(second)
	_, err = kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.Inject(t.Context(), second, calls.Fault{Method: calls.Unprepare, Action: calls.Fail, Count: 2, Message: "jammed"})).To(Succeed())
	for range 2 {
		r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(MatchError(ContainSubstring("jammed")))
		r.g.Expect(r.Status(t.Context(), second)).To(HaveField("Claims", []string{"default/claim"}))
		r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, second+"*"))).To(HaveLen(2))
		r.g.Expect(r.Stop(t.Context(), second)).To(MatchError(control.ErrInUse))
	}
	r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(Succeed())
	r.g.Expect(r.Status(t.Context(), second)).To(HaveField("Claims", BeEmpty()))
	r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, second+"*"))).To(BeEmpty())

	failed := And(HaveField("Fault", calls.Fail), HaveField("Error", "jammed"), HaveField("Claims", HaveExactElements(HaveField("UID", "claim"))))
	r.g.Expect(r.calls(second, 3, 3)).To(HaveExactElements(failed, failed, And(HaveField("Fault", BeEmpty()), HaveField("Error", BeEmpty()))))
}

// Guards that delayed and hanging calls continue when they are released, and
// that each of them is handled.
func TestReleaseOfMany(t *testing.T) {
	a, b, c := newClaim(driver, "gpu-0-mig-1g-5gb-0", "a"), newClaim(driver, "gpu-0-mig-1g-5gb-1", "b"), newClaim(driver, "gpu-0-mig-1g-5gb-2", "c")
	r := start(t, a, b, c)
	kubelet := r.kubelet(driver)
	_, err := kubelet.prepare(t.Context(), c)
	r.g.Expect(err).NotTo(HaveOccurred())
	for _, fault := range []calls.Fault{
		{Method: calls.Prepare, Action: calls.Delay, Count: 1, Delay: metav1.Duration{Duration: 10 * time.Minute}},
		{Method: calls.Prepare, Action: calls.Hang, Count: 2},
		{Method: calls.Unprepare, Action: calls.Hang, Count: 1},
	} {
		r.g.Expect(r.Inject(t.Context(), driver, fault)).To(Succeed())
	}
	prepare := func() error { _, err := kubelet.prepare(t.Context(), a); return err }
	delayed := later(prepare)
	r.calls(driver, 3, 1)
	hanging := later(func() error { _, err := kubelet.prepare(t.Context(), b); return err })
	r.calls(driver, 4, 1)
	unprepare := later(func() error { return kubelet.unprepare(t.Context(), c) })
	for _, call := range r.calls(driver, 3, 3) {
		r.g.Expect(call.End).To(BeNil())
	}
	r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Claims", []string{"default/c"}), "waiting calls have no effect")

	r.g.Expect(r.Release(t.Context(), driver)).To(Succeed())
	for _, ended := range []<-chan error{delayed, hanging, unprepare} {
		r.g.Eventually(ended, "1m").Should(Receive(BeNil()))
	}
	r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Claims", []string{"default/a", "default/b"}))
	r.g.Eventually(later(prepare), "1m").Should(Receive(BeNil()), "the second fault was discarded")
	log := r.calls(driver, 3, 4)
	for i, call := range log {
		r.g.Expect(call.Seq).To(Equal(4 + i))
		r.g.Expect(*call.End).To(BeTemporally(">=", call.Start))
		if i > 0 {
			r.g.Expect(call.Start).To(BeTemporally(">=", log[i-1].Start), "the log is in the order of the starts")
		}
	}
	r.g.Expect(log[1].Claims).To(HaveExactElements(HaveField("Devices", []string{"gpu-0-mig-1g-5gb-1"})))
}

// Guards that a kubelet that cancels a call receives an error, and that the
// call has no effect.
func TestKubeletCancelsACall(t *testing.T) {
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	kubelet := r.kubelet(driver)
	r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Prepare, Action: calls.Hang, Count: 1})).To(Succeed())
	ctx, giveUp := context.WithCancel(t.Context())
	ended := later(func() error { _, err := kubelet.prepare(ctx, claim); return err })
	r.calls(driver, 2, 1)
	giveUp()
	r.g.Eventually(ended, "1m").Should(Receive(HaveOccurred()))
	r.g.Eventually(func() ([]calls.Call, error) { return r.Calls(t.Context(), driver, 2) }, "1m").Should(HaveExactElements(
		And(HaveField("Error", ContainSubstring("the caller canceled the call")), HaveField("End", Not(BeNil())))))
	r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Claims", BeEmpty()))
	r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, "*"))).To(BeEmpty())
	_, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
}

// Guards that the log of calls, faults and a deregistration are reset by a
// restart of the process.
func TestFaultsEndWithTheProcess(t *testing.T) {
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	_, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Unprepare, Action: calls.Fail, Count: 9, Message: "no"})).To(Succeed())
	r.g.Expect(r.Register(t.Context(), driver, false)).To(Succeed())
	r = r.restart()
	r.g.Expect(r.Calls(t.Context(), driver, 0)).To(BeEmpty())
	r.g.Expect(r.kubelet(driver).unprepare(t.Context(), claim)).To(Succeed())
	r.g.Expect(r.calls(driver, 0, 3)).To(HaveExactElements(HaveField("Seq", 1), HaveField("Seq", 2), HaveField("Method", calls.Unprepare)))
}

func TestFaultsReachTheKubelet(t *testing.T) {
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	kubelet := r.kubelet(driver)
	r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 1, Message: "smoke"})).To(Succeed())
	_, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).To(MatchError(ContainSubstring("smoke")))
	r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, "*"))).To(BeEmpty())

	r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Prepare, Action: calls.Hang, Count: 1})).To(Succeed())
	ended := make(chan error, 1)
	go func() {
		_, err := kubelet.prepare(t.Context(), claim)
		ended <- err
	}()
	hanging := func() ([]calls.Call, error) { return r.Calls(t.Context(), driver, 3) }
	r.g.Eventually(hanging, "1m").Should(HaveExactElements(And(HaveField("Fault", calls.Hang), HaveField("End", BeNil()))))
	r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(Succeed(), "other calls are handled meanwhile")
	r.g.Expect(r.Release(t.Context(), driver)).To(Succeed())
	r.g.Eventually(ended, "1m").Should(Receive(BeNil()))

	log, err := r.Calls(t.Context(), driver, 0)
	r.g.Expect(err).NotTo(HaveOccurred())
	var methods []string
	for _, call := range log {
		methods = append(methods, call.Method)
	}
	r.g.Expect(methods).To(Equal([]string{"GetInfo", "NotifyRegistrationStatus", calls.Prepare, calls.Prepare, calls.Unprepare}))
	r.g.Expect(log[3].Claims).To(HaveExactElements(And(
		HaveField("Namespace", "default"), HaveField("Name", "claim"), HaveField("UID", "claim"), HaveField("Error", ""),
		HaveField("Devices", []string{"gpu-0"}), HaveField("CDIDevices", ContainElement(ContainSubstring("gpu-0"))),
	)))
	r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{})).To(MatchError(control.ErrInvalid))
}

// Guards that a driver can stop while a call hangs.
func TestStopWhileACallHangs(t *testing.T) {
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	kubelet := r.kubelet(driver)
	r.g.Expect(r.Inject(t.Context(), driver, calls.Fault{Method: calls.Prepare, Action: calls.Hang, Count: 1})).To(Succeed())
	ended := make(chan error, 1)
	go func() {
		_, err := kubelet.prepare(t.Context(), claim)
		ended <- err
	}()
	r.g.Eventually(func() ([]calls.Call, error) { return r.Calls(t.Context(), driver, 2) }, "1m").Should(HaveLen(1))
	r.g.Expect(r.stop()).To(Succeed())
	r.g.Eventually(ended, "1m").Should(Receive(HaveOccurred()))
}
