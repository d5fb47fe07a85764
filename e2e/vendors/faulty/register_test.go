// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	healthpb "k8s.io/kubelet/pkg/apis/dra-health/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

func TestFaultsOfTheRegistration(t *testing.T) {
	g := NewWithT(t)
	info := func(fault string) *registerapi.PluginInfo {
		got, err := broken(t, fault).call(t.Context(), "", &registerapi.InfoRequest{})
		g.Expect(err).NotTo(HaveOccurred())
		return got.(*registerapi.PluginInfo)
	}
	g.Expect(info("registers-other-name").Name).To(Equal("other-driver.example.com"))
	g.Expect(info("offers-unknown-services").SupportedVersions).To(Equal([]string{"v1alpha3.DRAPlugin"}))

	c := broken(t, "registers-only-once")
	g.Expect(c.unregistered).To(BeFalse())
	g.Expect(c.add("registers-only-once")).To(Succeed())
	g.Expect(c.unregistered).To(BeTrue(), "the second process does not register")
}

// sent is a stream that keeps the last message.
type sent struct {
	grpc.ServerStream
	last any
}

func (s *sent) SendMsg(message any) error { s.last = message; return nil }

func TestFaultsOfHealth(t *testing.T) {
	g := NewWithT(t)
	stream := &sent{}
	handler := func(_ any, stream grpc.ServerStream) error {
		return stream.SendMsg(&healthpb.NodeWatchResourcesResponse{Devices: []*healthpb.DeviceHealth{{Device: &healthpb.DeviceIdentifier{DeviceName: "device-0"}}}})
	}
	g.Expect(broken(t, "reports-times-in-milliseconds").streams[0](nil, stream, nil, handler)).To(Succeed())
	g.Expect(stream.last.(*healthpb.NodeWatchResourcesResponse).Devices[0].LastUpdatedTime).To(BeNumerically("~", time.Now().UnixMilli(), 60_000))
	g.Expect(broken(t, "reports-health-of-other-device").streams[0](nil, stream, nil, handler)).To(Succeed())
	g.Expect(stream.last.(*healthpb.NodeWatchResourcesResponse).Devices[1].Device.DeviceName).To(Equal("device-99"))
	err := broken(t, "fails-to-report-health").streams[0](nil, stream, nil, handler)
	g.Expect(status.Code(err)).To(Equal(codes.Internal))
}
