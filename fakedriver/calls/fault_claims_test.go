// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package calls_test

import (
	"context"
	"path"
	"testing"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"

	"github.com/draconform/draconform/fakedriver/calls"
)

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
