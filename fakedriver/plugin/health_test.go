// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	healthpb "k8s.io/kubelet/pkg/apis/dra-health/v1"
	healthalpha "k8s.io/kubelet/pkg/apis/dra-health/v1alpha1"

	"github.com/draconform/draconform/fakedriver/control"
)

// healthOf opens the health stream as a kubelet does after registration. It
// returns the first report about the devices of a driver.
func (r *running) healthOf(driver string) map[string]healthpb.HealthStatus {
	r.tb.Helper()
	stream, err := healthpb.NewDRAResourceHealthClient(r.register(driver)).NodeWatchResources(r.tb.Context(), &healthpb.NodeWatchResourcesRequest{})
	r.g.Expect(err).NotTo(HaveOccurred())
	report, err := stream.Recv()
	r.g.Expect(err).NotTo(HaveOccurred())
	out := map[string]healthpb.HealthStatus{}
	for _, device := range report.Devices {
		out[device.Device.DeviceName] = device.Health
	}
	return out
}

// Guards that injected health applies to one driver only, persists while other
// content is published, and is reset by a restart of the process.
func TestHealthPersists(t *testing.T) {
	r := start(t)
	_, err := r.Publish(t.Context(), second, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.SetHealth(t.Context(), second, control.Health{
		"gpu-0":              {Status: kubeletplugin.HealthStatusUnhealthy},
		"gpu-0-mig-1g-5gb-0": {Status: kubeletplugin.HealthStatusUnknown},
	})).To(Succeed())
	_, err = r.Publish(t.Context(), second, twoGPUs)
	r.g.Expect(err).NotTo(HaveOccurred())
	unhealthy := And(HaveLen(52), HaveKeyWithValue("gpu-0", healthpb.HealthStatus_UNHEALTHY),
		HaveKeyWithValue("gpu-0-mig-1g-5gb-0", healthpb.HealthStatus_UNKNOWN), HaveKeyWithValue("gpu-1", healthpb.HealthStatus_HEALTHY))
	r.g.Expect(r.healthOf(second)).To(unhealthy)
	r.g.Expect(r.healthOf(second)).To(unhealthy, "a kubelet that connects later gets the same report")
	r.g.Expect(r.healthOf(driver)).To(And(HaveLen(26), HaveEach(healthpb.HealthStatus_HEALTHY)), "of another driver")

	r.g.Expect(r.SetHealth(t.Context(), second, control.Health{"gpu-1": {Status: kubeletplugin.HealthStatusUnhealthy}})).To(Succeed())
	r.g.Expect(r.healthOf(second)).To(And(HaveKeyWithValue("gpu-0", healthpb.HealthStatus_HEALTHY),
		HaveKeyWithValue("gpu-1", healthpb.HealthStatus_UNHEALTHY)), "other devices are healthy")
	r = r.restart()
	r.g.Expect(r.healthOf(second)).To(And(HaveLen(52), HaveEach(healthpb.HealthStatus_HEALTHY)))
}

// Older kubelets support only the alpha version of the service.
func TestHealthForOlderKubelets(t *testing.T) {
	r := start(t)
	stream, err := healthalpha.NewDRAResourceHealthClient(r.register(driver)).NodeWatchResources(t.Context(), &healthalpha.NodeWatchResourcesRequest{})
	r.g.Expect(err).NotTo(HaveOccurred())
	_, err = stream.Recv()
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.SetHealth(t.Context(), driver, control.Health{"gpu-0": {Status: kubeletplugin.HealthStatusUnhealthy, Message: "hot"}})).To(Succeed())
	report, err := stream.Recv()
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(report.Devices).To(HaveLen(26))
	for _, device := range report.Devices {
		r.g.Expect(device.Device.PoolName).To(Equal(node))
		want := []any{healthalpha.HealthStatus_HEALTHY, ""}
		if device.Device.DeviceName == "gpu-0" {
			want = []any{healthalpha.HealthStatus_UNHEALTHY, "hot"}
		}
		r.g.Expect([]any{device.Health, device.Message}).To(Equal(want))
	}
}

func TestHealth(t *testing.T) {
	r := start(t)
	stream, err := healthpb.NewDRAResourceHealthClient(r.register(driver)).NodeWatchResources(t.Context(), &healthpb.NodeWatchResourcesRequest{})
	r.g.Expect(err).NotTo(HaveOccurred())
	next := func() map[string]*healthpb.DeviceHealth {
		report, err := stream.Recv()
		r.g.Expect(err).NotTo(HaveOccurred())
		byName := map[string]*healthpb.DeviceHealth{}
		for _, device := range report.Devices {
			r.g.Expect(device.Device.PoolName).To(Equal(node))
			r.g.Expect(device.LastUpdatedTime).To(BeNumerically("~", time.Now().Unix(), 60))
			byName[device.Device.DeviceName] = device
		}
		return byName
	}
	first := next()
	r.g.Expect(first).To(HaveLen(26), "all devices, at once")
	for name, device := range first {
		r.g.Expect(device.Health).To(Equal(healthpb.HealthStatus_HEALTHY), name)
	}
	r.g.Expect(r.SetHealth(t.Context(), driver, control.Health{"gpu-0": {Status: kubeletplugin.HealthStatusUnhealthy, Message: "hot"}})).To(Succeed())
	changed := next()
	r.g.Expect(changed["gpu-0"].Health).To(Equal(healthpb.HealthStatus_UNHEALTHY))
	r.g.Expect(changed["gpu-0"].Message).To(Equal("hot"))
	r.g.Expect(changed["gpu-0-mig-1g-5gb-0"].Health).To(Equal(healthpb.HealthStatus_HEALTHY))

	r.g.Expect(r.SetHealth(t.Context(), driver, control.Health{"gpu-9": {Status: kubeletplugin.HealthStatusUnhealthy}})).To(MatchError(control.ErrInvalid))
	r.g.Expect(r.SetHealth(t.Context(), driver, control.Health{"gpu-0": {Status: "Ill"}})).To(MatchError(control.ErrInvalid))
	r.g.Expect(r.SetHealth(t.Context(), driver, nil)).To(Succeed())
	r.g.Expect(next()["gpu-0"].Health).To(Equal(healthpb.HealthStatus_HEALTHY))

	_, err = r.Publish(t.Context(), driver, twoGPUs)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(next()).To(HaveKey("gpu-1"))
	r.g.Expect(r.stop()).To(Succeed(), "a watching kubelet does not block the stop")
}
