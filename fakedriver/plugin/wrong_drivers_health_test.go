// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package plugin_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	healthpb "k8s.io/kubelet/pkg/apis/dra-health/v1"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/internal/fault"
)

func TestWrongDriversMisreportHealth(t *testing.T) {
	for name, test := range map[string]struct {
		fault                  *bool
		unhealthy, healthy, of int
	}{
		"none":                   {new(bool), 1, 25, 26},
		"never reports":          {&fault.NeverReportsUnhealthy, 0, 26, 26},
		"reports all":            {&fault.ReportsAllUnhealthy, 26, 0, 26},
		"reports another device": {&fault.ReportsHealthOfUnknownDevice, 1, 26, 27},
	} {
		t.Run(name, func(t *testing.T) {
			turnOn(t, test.fault)
			r := start(t)
			r.g.Expect(r.SetHealth(t.Context(), driver, control.Health{"gpu-0": {Status: kubeletplugin.HealthStatusUnhealthy}})).To(Succeed())
			got := map[healthpb.HealthStatus]int{}
			all := r.healthOf(driver)
			for _, health := range all {
				got[health]++
			}
			r.g.Expect([]int{got[healthpb.HealthStatus_UNHEALTHY], got[healthpb.HealthStatus_HEALTHY], len(all)}).To(Equal([]int{test.unhealthy, test.healthy, test.of}))
		})
	}
}

func TestWrongDriverReportsUnknownHealthAsHealthy(t *testing.T) {
	turnOn(t, &fault.ReportsUnknownAsHealthy)
	r := start(t)
	r.g.Expect(r.SetHealth(t.Context(), driver, control.Health{"gpu-0": {Status: kubeletplugin.HealthStatusUnknown}})).To(Succeed())
	r.g.Expect(r.healthOf(driver)).To(HaveKeyWithValue("gpu-0", healthpb.HealthStatus_HEALTHY))
}

func TestWrongDriverLosesHealthMessages(t *testing.T) {
	turnOn(t, &fault.LosesHealthMessages)
	r := start(t)
	r.g.Expect(r.SetHealth(t.Context(), driver, control.Health{"gpu-0": {Status: kubeletplugin.HealthStatusUnhealthy, Message: "hot"}})).To(Succeed())
	stream, err := healthpb.NewDRAResourceHealthClient(r.register(driver)).NodeWatchResources(t.Context(), &healthpb.NodeWatchResourcesRequest{})
	r.g.Expect(err).NotTo(HaveOccurred())
	report, err := stream.Recv()
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(report.Devices).To(And(ContainElement(HaveField("Health", healthpb.HealthStatus_UNHEALTHY)), HaveEach(HaveField("Message", ""))))
}

func TestWrongDriverReportsHealthOnce(t *testing.T) {
	turnOn(t, &fault.ReportsHealthOnce)
	r := start(t)
	r.g.Expect(r.healthOf(driver)).To(HaveLen(26))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	stream, err := healthpb.NewDRAResourceHealthClient(r.register(driver)).NodeWatchResources(ctx, &healthpb.NodeWatchResourcesRequest{})
	r.g.Expect(err).NotTo(HaveOccurred())
	_, err = stream.Recv()
	r.g.Expect(status.Code(err)).To(Equal(codes.DeadlineExceeded), "the next kubelet learns nothing")
}

func TestWrongDriverReportsHealthOfNode(t *testing.T) {
	for _, on := range []bool{false, true} {
		if on {
			turnOn(t, &fault.ReportsHealthOfNode)
		}
		r := start(t, hostNode("node-0", "0"))
		_, err := r.Publish(t.Context(), tpus, fourByFour)
		r.g.Expect(err).NotTo(HaveOccurred())
		stream, err := healthpb.NewDRAResourceHealthClient(r.register(tpus)).NodeWatchResources(t.Context(), &healthpb.NodeWatchResourcesRequest{})
		r.g.Expect(err).NotTo(HaveOccurred())
		report, err := stream.Recv()
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(report.Devices).To(And(Not(BeEmpty()), HaveEach(HaveField("Device.PoolName", map[bool]string{false: "4x4", true: node}[on]))))
	}
}
