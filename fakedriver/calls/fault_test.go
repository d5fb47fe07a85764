// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package calls_test

import (
	"context"
	"path"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"

	"github.com/draconform/draconform/fakedriver/calls"
)

func TestFaultsAreAppliedInOrder(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 2, Message: "first"})).To(Succeed())
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Unprepare, Action: calls.Fail, Count: 1, Message: "unprepare"})).To(Succeed())
	g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 1, Message: "second"})).To(Succeed())

	for _, message := range []string{"first", "first", "second"} {
		_, err := recorder.Intercept(t.Context(), request("a"), prepare, func(context.Context, any) (any, error) {
			t.Error("a call that fails must not be handled")
			return nil, nil
		})
		g.Expect(err).To(MatchError(message))
	}
	_, err := recorder.Intercept(t.Context(), request("a"), prepare, ok)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = recorder.Intercept(t.Context(), nil, unprepare, ok)
	g.Expect(err).To(MatchError("unprepare"))

	log := recorder.Calls(0)
	g.Expect(log[0].Fault).To(Equal(calls.Fail))
	g.Expect(log[0].Error).To(Equal("first"))
	g.Expect(log[0].Claims).To(HaveLen(1))
	g.Expect(log[3].Fault).To(BeEmpty())
}

// Guards that a client which got no answer can repeat its request, also when the fault is
// gone.
func TestFaultIsInjectedOnce(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	inject := func(ids ...string) {
		for _, id := range ids {
			g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 1, Message: id, ID: id})).To(Succeed())
		}
	}
	// failures are the errors of calls until one succeeds.
	failures := func() (all []string) {
		for {
			_, err := recorder.Intercept(t.Context(), request("a"), prepare, ok)
			if err == nil {
				return all
			}
			all = append(all, err.Error())
		}
	}
	inject("one", "one", "two", "one")
	g.Expect(failures()).To(Equal([]string{"one", "two"}))
	inject("one", "three")
	g.Expect(failures()).To(Equal([]string{"three"}))
	inject("four")
	recorder.Release()
	inject("four", "five")
	g.Expect(failures()).To(Equal([]string{"five"}))

	// Requests without an ID are different ones.
	for range 2 {
		g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 1, Message: "again"})).To(Succeed())
	}
	g.Expect(failures()).To(Equal([]string{"again", "again"}))
}

func TestFaultsAreValidated(t *testing.T) {
	second := metav1.Duration{Duration: time.Second}
	for _, test := range []struct {
		fault   calls.Fault
		message string
	}{
		{calls.Fault{Method: "GetInfo", Action: calls.Hang, Count: 1}, `method "GetInfo" cannot have faults`},
		{calls.Fault{Method: calls.Prepare, Action: calls.Hang}, "count must be at least 1, not 0"},
		{calls.Fault{Method: calls.Prepare, Action: "Explode", Count: 1}, `action "Explode" is not known`},
		{calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 1}, "cannot fail without a message"},
		{calls.Fault{Method: calls.Prepare, Action: calls.Delay, Count: 1}, "delay must be more than 0"},
		{calls.Fault{Method: calls.Prepare, Action: calls.Delay, Count: 1, Delay: metav1.Duration{Duration: time.Hour}}, "at most 10m0s, not 1h0m0s"},
		{calls.Fault{Method: calls.Prepare, Action: calls.Delay, Count: 1, Delay: second}, ""},
	} {
		g := NewWithT(t)
		var recorder calls.Recorder
		err := recorder.Inject(test.fault)
		if test.message == "" {
			g.Expect(err).NotTo(HaveOccurred())
			continue
		}
		g.Expect(err).To(MatchError(ContainSubstring(test.message)))
	}
}

// Kubelets use two API versions. Guards both versions of responses in which a
// claim has failed or is missing.
func TestFailedAndOmittedClaims(t *testing.T) {
	newer, older := []*drapb.Claim{{Uid: "a"}, {Uid: "b"}}, []*drapbv1beta1.Claim{{Uid: "a"}, {Uid: "b"}}
	for name, c := range map[string]struct {
		info    *grpc.UnaryServerInfo
		request any
		// failed returns the errors of the claims in a response, by UID.
		failed func(answer any) map[string]string
	}{
		"prepare": {prepare, &drapb.NodePrepareResourcesRequest{Claims: newer}, func(a any) map[string]string {
			return errorsOf(a.(*drapb.NodePrepareResourcesResponse).Claims)
		}},
		"unprepare": {unprepare, &drapb.NodeUnprepareResourcesRequest{Claims: newer}, func(a any) map[string]string {
			return errorsOf(a.(*drapb.NodeUnprepareResourcesResponse).Claims)
		}},
		"prepare, older": {prepare, &drapbv1beta1.NodePrepareResourcesRequest{Claims: older}, func(a any) map[string]string {
			return errorsOf(a.(*drapbv1beta1.NodePrepareResourcesResponse).Claims)
		}},
		"unprepare, older": {unprepare, &drapbv1beta1.NodeUnprepareResourcesRequest{Claims: older}, func(a any) map[string]string {
			return errorsOf(a.(*drapbv1beta1.NodeUnprepareResourcesResponse).Claims)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var recorder calls.Recorder
			method := path.Base(c.info.FullMethod)
			g.Expect(recorder.Inject(calls.Fault{Method: method, Action: calls.FailClaims, Count: 1, Message: "taken"})).To(Succeed())
			g.Expect(recorder.Inject(calls.Fault{Method: method, Action: calls.OmitClaims, Count: 1, Message: "forgotten"})).To(Succeed())
			for _, want := range []map[string]string{{"a": "taken", "b": "taken"}, {}} {
				answer, err := recorder.Intercept(t.Context(), c.request, c.info, func(context.Context, any) (any, error) {
					t.Error("a call whose claims fail must not be handled")
					return nil, nil
				})
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(c.failed(answer)).To(Equal(want))
			}
			log := recorder.Calls(0)
			g.Expect(log[0].Error).To(BeEmpty(), "the call did not fail")
			g.Expect(log[0].Claims).To(HaveExactElements(HaveField("Error", "taken"), HaveField("Error", "taken")))
			g.Expect(log[1].Claims).To(HaveExactElements(HaveField("Error", "forgotten"), HaveField("Error", "forgotten")))
		})
	}
}

// Guards that a fault of one claim changes nothing for the others of its call, and for
// calls without this claim.
func TestFaultOfOneClaim(t *testing.T) {
	for action, want := range map[calls.Action]map[string]string{calls.FailClaims: {"a": "", "b": "taken"}, calls.OmitClaims: {"a": ""}} {
		t.Run(string(action), func(t *testing.T) {
			g := NewWithT(t)
			var recorder calls.Recorder
			g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: action, Count: 1, Message: "taken", Claims: []string{"claim-b"}})).To(Succeed())
			handled := func(_ context.Context, r any) (any, error) {
				answer := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
				for _, claim := range r.(*drapb.NodePrepareResourcesRequest).Claims {
					answer.Claims[claim.Uid] = &drapb.NodePrepareResourceResponse{Devices: []*drapb.Device{{DeviceName: "gpu-" + claim.Uid}}}
				}
				return answer, nil
			}
			for _, call := range []struct {
				claims []string
				want   map[string]string
			}{
				{[]string{"a"}, map[string]string{"a": ""}},
				{[]string{"a", "b"}, want},
				{[]string{"a", "b"}, map[string]string{"a": "", "b": ""}},
			} {
				answer, err := recorder.Intercept(t.Context(), request(call.claims...), prepare, handled)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(errorsOf(answer.(*drapb.NodePrepareResourcesResponse).Claims)).To(Equal(call.want))
			}
			g.Expect(recorder.Calls(0)[1].Claims).To(HaveExactElements(
				And(HaveField("Error", ""), HaveField("Devices", []string{"gpu-a"})),
				And(HaveField("Error", "taken"), HaveField("Devices", BeEmpty())),
			))
		})
	}
}

// Guards that the response and the log have the devices of the claim without CDI devices.
func TestFaultOmitsCDIDevices(t *testing.T) {
	for name, response := range map[string]any{
		"newer": &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{
			"a": {Devices: []*drapb.Device{{DeviceName: "gpu-0", CdiDeviceIds: []string{"example.com/gpu=0"}}}},
		}},
		"older": &drapbv1beta1.NodePrepareResourcesResponse{Claims: map[string]*drapbv1beta1.NodePrepareResourceResponse{
			"a": {Devices: []*drapbv1beta1.Device{{DeviceName: "gpu-0", CdiDeviceIds: []string{"example.com/gpu=0"}}}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var recorder calls.Recorder
			g.Expect(recorder.Inject(calls.Fault{Method: calls.Unprepare, Action: calls.OmitCDIDevices, Count: 1})).To(MatchError(ContainSubstring("have no CDI devices")))
			g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.OmitCDIDevices, Count: 1})).To(Succeed())
			answer, err := recorder.Intercept(t.Context(), request("a"), prepare, func(context.Context, any) (any, error) { return response, nil })
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(answer).To(HaveField("Claims", HaveKeyWithValue("a", HaveField("Devices", HaveExactElements(
				And(HaveField("DeviceName", "gpu-0"), HaveField("CdiDeviceIds", BeEmpty())),
			)))))
			g.Expect(recorder.Calls(0)[0].Claims).To(HaveExactElements(And(HaveField("Devices", []string{"gpu-0"}), HaveField("CDIDevices", BeEmpty()))))
		})
	}
}

// Guards that the response has the devices of the claim without the names of requests.
func TestFaultOmitsRequests(t *testing.T) {
	for name, response := range map[string]any{
		"newer": &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{
			"a": {Devices: []*drapb.Device{{DeviceName: "gpu-0", RequestNames: []string{"gpu"}}}},
		}},
		"older": &drapbv1beta1.NodePrepareResourcesResponse{Claims: map[string]*drapbv1beta1.NodePrepareResourceResponse{
			"a": {Devices: []*drapbv1beta1.Device{{DeviceName: "gpu-0", RequestNames: []string{"gpu"}}}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var recorder calls.Recorder
			g.Expect(recorder.Inject(calls.Fault{Method: calls.Unprepare, Action: calls.OmitRequests, Count: 1})).To(MatchError(ContainSubstring("and no requests")))
			g.Expect(recorder.Inject(calls.Fault{Method: calls.Prepare, Action: calls.OmitRequests, Count: 1})).To(Succeed())
			answer, err := recorder.Intercept(t.Context(), request("a"), prepare, func(context.Context, any) (any, error) { return response, nil })
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(answer).To(HaveField("Claims", HaveKeyWithValue("a", HaveField("Devices", HaveExactElements(
				And(HaveField("DeviceName", "gpu-0"), HaveField("RequestNames", BeEmpty())),
			)))))
		})
	}
}

func errorsOf[A interface{ GetError() string }](answers map[string]A) map[string]string {
	failed := map[string]string{}
	for uid, answer := range answers {
		failed[uid] = answer.GetError()
	}
	return failed
}

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
