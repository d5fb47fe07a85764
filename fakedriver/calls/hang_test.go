// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package calls_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/calls"
)

// Guards that a call whose response is lost is handled, and that it is handled
// again when the kubelet repeats it.
func TestLostResponse(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Lose, Count: 1, Message: "lost"})).To(Succeed())
	handled := 0
	handler := func(ctx context.Context, request any) (any, error) {
		handled++
		return ok(ctx, request)
	}
	_, err := recorder.Intercept(t.Context(), request("a"), prepare, handler)
	g.Expect(err).To(MatchError("lost"))
	_, err = recorder.Intercept(t.Context(), request("a"), prepare, handler)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(handled).To(Equal(2))
	log := recorder.Calls(0)
	g.Expect(log[0].Fault).To(Equal(calls.Lose))
	g.Expect(log[0].Error).To(BeEmpty(), "the driver did not fail")
	g.Expect(log[0].Claims).To(Equal(log[1].Claims))
	g.Expect(log[0].Claims[0].CDIDevices).To(HaveLen(2))
}

func TestDelay(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Delay, Count: 1, Delay: metav1.Duration{Duration: 50 * time.Millisecond}})).To(Succeed())
	_, err := recorder.Intercept(t.Context(), request("a"), prepare, ok)
	g.Expect(err).NotTo(HaveOccurred())
	call := recorder.Calls(0)[0]
	g.Expect(call.End.Sub(call.Start)).To(BeNumerically(">=", 50*time.Millisecond))
	g.Expect(call.Claims[0].Devices).NotTo(BeEmpty(), "the call is handled afterwards")
}

// hang starts a call and waits until it hangs.
func hang(ctx context.Context, g *WithT, recorder *calls.Recorder) <-chan error {
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Hang, Count: 1})).To(Succeed())
	ended := make(chan error, 1)
	go func() {
		_, err := recorder.Intercept(ctx, request("a"), prepare, ok)
		ended <- err
	}()
	g.Eventually(func() []calls.Call { return recorder.Calls(0) }, "1m").Should(HaveLen(1))
	g.Expect(recorder.Calls(0)[0].End).To(BeNil())
	g.Consistently(ended, "50ms").ShouldNot(Receive())
	return ended
}

func TestHangEndsWithRelease(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	ended := hang(t.Context(), g, &recorder)
	_, err := recorder.Intercept(t.Context(), request("a"), prepare, ok)
	g.Expect(err).NotTo(HaveOccurred(), "other calls are handled meanwhile")
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 1, Message: "pending"})).To(Succeed())

	recorder.Release()
	g.Eventually(ended, "1m").Should(Receive(BeNil()))
	g.Expect(recorder.Calls(0)[0].End).NotTo(BeNil())
	_, err = recorder.Intercept(t.Context(), request("a"), prepare, ok)
	g.Expect(err).NotTo(HaveOccurred(), "pending faults are discarded")
	recorder.Release()
}

func TestHangEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	ctx, cancel := context.WithCancel(t.Context())
	ended := hang(ctx, g, &recorder)
	cancel()
	g.Eventually(ended, "1m").Should(Receive(And(MatchError(context.Canceled), MatchError(ContainSubstring("the caller canceled the call")))))
}
