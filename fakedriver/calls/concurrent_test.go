// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package calls_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/calls"
)

// Guards that exactly the requested number of concurrent calls fails, and that
// the log contains each call in the order in which the calls started.
func TestFaultsAreCountedOverConcurrentCalls(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 30, Message: "no"})).To(Succeed())
	var failed atomic.Int32
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if _, err := recorder.Intercept(t.Context(), request("a"), prepare, ok); err != nil {
				failed.Add(1)
			}
		})
	}
	all.Wait()
	g.Expect(failed.Load()).To(Equal(int32(30)))
	log := recorder.Calls(0)
	g.Expect(log).To(HaveLen(100))
	for i, call := range log {
		g.Expect(call.Seq).To(Equal(i + 1))
		g.Expect(call.Fault).To(Equal(map[bool]calls.Action{true: calls.Fail}[i < 30]), "the first ones fail")
		g.Expect(call.End).NotTo(BeNil())
		if i > 0 {
			g.Expect(call.Start).To(BeTemporally(">=", log[i-1].Start))
		}
	}
}

// Guards that the result of Calls does not change when a call ends.
func TestLogIsACopy(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	ended := hang(t.Context(), g, &recorder)
	before := recorder.Calls(0)
	recorder.Release()
	g.Eventually(ended, "1m").Should(Receive(BeNil()))
	g.Expect(before[0].End).To(BeNil())
	g.Expect(before[0].Claims[0].Devices).To(BeEmpty())
	g.Expect(recorder.Calls(0)[0].Claims[0].Devices).NotTo(BeEmpty())
}

// Guards that Release lets all waiting calls continue, including delayed ones,
// and that later calls do not wait.
func TestReleaseOfAll(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	for _, fault := range []calls.Fault{
		{Method: calls.Prepare, Action: calls.Hang, Count: 2},
		{Method: calls.Prepare, Action: calls.Delay, Count: 2, Delay: metav1.Duration{Duration: 10 * time.Minute}},
	} {
		g.Expect(recorder.Inject(fault)).To(Succeed())
	}
	ended := make(chan error, 4)
	for n := range 3 {
		go func() {
			_, err := recorder.Intercept(t.Context(), request("a"), prepare, ok)
			ended <- err
		}()
		g.Eventually(func() []calls.Call { return recorder.Calls(n) }, "1m").Should(HaveLen(1))
	}
	g.Expect(ended).NotTo(Receive())
	recorder.Release()
	for range 3 {
		g.Eventually(ended, "1m").Should(Receive(BeNil()))
	}
	_, err := recorder.Intercept(t.Context(), request("a"), prepare, ok)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(recorder.Calls(3)).To(HaveExactElements(HaveField("Fault", BeEmpty())))
}

// Guards that Release has no effect on faults that are injected later.
func TestHangAfterRelease(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	recorder.Release()
	ended := hang(t.Context(), g, &recorder)
	recorder.Release()
	g.Eventually(ended, "1m").Should(Receive(BeNil()))
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Hang, Count: 1})).To(Succeed())
	again := make(chan error, 1)
	go func() {
		_, err := recorder.Intercept(t.Context(), request("a"), prepare, ok)
		again <- err
	}()
	g.Eventually(func() []calls.Call { return recorder.Calls(1) }, "1m").Should(HaveLen(1))
	g.Consistently(again, "50ms").ShouldNot(Receive())
	recorder.Release()
	g.Eventually(again, "1m").Should(Receive(BeNil()))
}

// Guards that a delay ends early when the kubelet cancels the call, and that
// the call is not handled.
func TestDelayEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Unprepare, Action: calls.Delay, Count: 1, Delay: metav1.Duration{Duration: 10 * time.Minute}})).To(Succeed())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := recorder.Intercept(ctx, nil, unprepare, func(context.Context, any) (any, error) {
		t.Error("a canceled call must not be handled")
		return nil, nil
	})
	g.Expect(err).To(And(MatchError(context.Canceled), MatchError(ContainSubstring("the caller canceled the call"))))
	g.Expect(recorder.Calls(0)).To(HaveExactElements(And(HaveField("Fault", calls.Delay), HaveField("Error", err.Error()), HaveField("End", Not(BeNil())))))
}

// Guards that a stream is logged without an end while it is open.
func TestOpenStream(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	err := recorder.InterceptStream(nil, nil, &grpc.StreamServerInfo{FullMethod: "/v1.DRAResourceHealth/NodeWatchResources"},
		func(any, grpc.ServerStream) error {
			g.Expect(recorder.Calls(0)).To(HaveExactElements(And(HaveField("Method", "NodeWatchResources"), HaveField("End", BeNil()))))
			return context.Canceled
		})
	g.Expect(err).To(MatchError(context.Canceled))
	g.Expect(recorder.Calls(0)).To(HaveExactElements(And(HaveField("Error", "context canceled"), HaveField("End", Not(BeNil())))))
}
