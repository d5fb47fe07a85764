// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package calls_test

import (
	"context"
	"errors"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	drapbv1beta1 "k8s.io/kubelet/pkg/apis/dra/v1beta1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/calls"
)

var (
	prepare   = &grpc.UnaryServerInfo{FullMethod: "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodePrepareResources"}
	unprepare = &grpc.UnaryServerInfo{FullMethod: "/k8s.io.kubelet.pkg.apis.dra.v1.DRAPlugin/NodeUnprepareResources"}
)

func request(uids ...string) *drapb.NodePrepareResourcesRequest {
	r := &drapb.NodePrepareResourcesRequest{}
	for _, uid := range uids {
		r.Claims = append(r.Claims, &drapb.Claim{Namespace: "default", Name: "claim-" + uid, Uid: uid})
	}
	return r
}

// ok is a handler that prepares two devices for the claim "a" and returns an
// error for "b".
func ok(context.Context, any) (any, error) {
	return &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{
		"a": {Devices: []*drapb.Device{{DeviceName: "gpu-0", CdiDeviceIds: []string{"x/gpu=0"}}, {DeviceName: "gpu-1", CdiDeviceIds: []string{"x/gpu=1"}, ShareId: ptr.To("share")}}},
		"b": {Error: "taken"},
	}}, nil
}

func TestLog(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	before := time.Now()
	_, err := recorder.Intercept(t.Context(), request("a", "b"), prepare, ok)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = recorder.Intercept(t.Context(), &drapb.NodeUnprepareResourcesRequest{Claims: request("a").Claims}, unprepare,
		func(context.Context, any) (any, error) { return nil, errors.New("broken") })
	g.Expect(err).To(MatchError("broken"))
	g.Expect(recorder.InterceptStream(nil, nil, &grpc.StreamServerInfo{FullMethod: "/v1.DRAResourceHealth/NodeWatchResources"},
		func(any, grpc.ServerStream) error { return nil })).To(Succeed())

	log := recorder.Calls(0)
	g.Expect(log).To(HaveLen(3))
	for i, call := range log {
		g.Expect(call.Seq).To(Equal(i + 1))
		g.Expect(call.Start).To(BeTemporally(">=", before))
		g.Expect(*call.End).To(BeTemporally(">=", call.Start))
		before = *call.End
	}
	g.Expect(log[0].Method).To(Equal(calls.Prepare))
	g.Expect(log[0].Claims).To(Equal([]calls.Claim{
		{Namespace: "default", Name: "claim-a", UID: "a", Devices: []string{"gpu-0", "gpu-1"}, CDIDevices: []string{"x/gpu=0", "x/gpu=1"}, Shares: []string{"share"}},
		{Namespace: "default", Name: "claim-b", UID: "b", Error: "taken"},
	}))
	g.Expect(log[1].Method).To(Equal(calls.Unprepare))
	g.Expect(log[1].Error).To(Equal("broken"))
	g.Expect(log[1].Claims).To(Equal([]calls.Claim{{Namespace: "default", Name: "claim-a", UID: "a"}}))
	g.Expect(log[2].Method).To(Equal("NodeWatchResources"))
	g.Expect(recorder.Calls(2)).To(Equal(log[2:]))
	g.Expect(recorder.Calls(3)).To(BeEmpty())
}

func TestLogOfOlderKubelets(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	reference := []*drapbv1beta1.Claim{{Namespace: "default", Name: "claim", Uid: "a"}}
	_, err := recorder.Intercept(t.Context(), &drapbv1beta1.NodePrepareResourcesRequest{Claims: reference}, prepare,
		func(context.Context, any) (any, error) {
			return &drapbv1beta1.NodePrepareResourcesResponse{Claims: map[string]*drapbv1beta1.NodePrepareResourceResponse{
				"a": {Devices: []*drapbv1beta1.Device{{DeviceName: "gpu-0"}}},
			}}, nil
		})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = recorder.Intercept(t.Context(), &drapbv1beta1.NodeUnprepareResourcesRequest{Claims: reference}, unprepare,
		func(context.Context, any) (any, error) {
			return &drapbv1beta1.NodeUnprepareResourcesResponse{Claims: map[string]*drapbv1beta1.NodeUnprepareResourceResponse{"a": {Error: "busy"}}}, nil
		})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(recorder.Calls(0)[0].Claims[0].Devices).To(Equal([]string{"gpu-0"}))
	g.Expect(recorder.Calls(0)[1].Claims[0].Error).To(Equal("busy"))
}

func TestLogKeepsTheNewestCalls(t *testing.T) {
	g := NewWithT(t)
	var recorder calls.Recorder
	for range 5000 {
		_, err := recorder.Intercept(t.Context(), nil, prepare, ok)
		g.Expect(err).NotTo(HaveOccurred())
	}
	log := recorder.Calls(0)
	g.Expect(log).To(HaveLen(4096))
	g.Expect(log[0].Seq).To(Equal(905))
	g.Expect(log[4095].Seq).To(Equal(5000))
}
