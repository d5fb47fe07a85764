// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/klog/v2"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/control"
)

var eightGPUs = control.Published{Devices: control.Devices{Model: "a100-40gb", Count: 8}}

// quiet disables logging, which would distort the measurements.
func quiet(b *testing.B) {
	klog.SetLogger(klog.Logger{})
	b.Cleanup(klog.ClearLogger)
}

// BenchmarkStartDriver measures the time from the request until the driver is
// registered with the kubelet and its 8 GPUs are published.
func BenchmarkStartDriver(b *testing.B) {
	quiet(b)
	r := start(b)
	n := 0
	for b.Loop() {
		name := fmt.Sprintf("d%d.example.com", n)
		n++
		_, err := r.Publish(b.Context(), name, eightGPUs)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.register(name)
		b.StopTimer()
		r.g.Expect(r.devices(name)).To(HaveLen(208))
		r.g.Expect(r.Stop(b.Context(), name)).To(Succeed())
		b.StartTimer()
	}
}

// BenchmarkPublishNode measures the time from the start of a plugin on a node
// without slices until the API server has its 8 GPUs.
func BenchmarkPublishNode(b *testing.B) {
	quiet(b)
	for b.Loop() {
		b.StopTimer()
		config, server := newConfig(b)
		config.Published = eightGPUs
		b.StartTimer()
		r := startWith(b, config, server)
		r.g.Eventually(func() (control.Status, error) { return r.Status(b.Context(), driver) }, "1m", "5ms").Should(HaveField("Pending", ""))
		b.StopTimer()
		r.g.Expect(r.devices(driver)).To(HaveLen(208))
		r.g.Expect(r.stop()).To(Succeed())
		b.StartTimer()
	}
}

// BenchmarkSwitch measures the time from the request to publish 8 GPUs until
// the last slice exists.
func BenchmarkSwitch(b *testing.B) {
	quiet(b)
	r := start(b)
	for b.Loop() {
		began := time.Now()
		_, err := r.Publish(b.Context(), driver, eightGPUs)
		r.g.Expect(err).NotTo(HaveOccurred())
		b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms-last")
		_, err = r.Publish(b.Context(), driver, oneGPU)
		r.g.Expect(err).NotTo(HaveOccurred())
	}
}

// BenchmarkRestart measures the time from the start of a plugin with 200
// prepared claims on 8 GPUs until it serves the kubelet. It also reports the
// memory of the process, which includes the API server of the test.
func BenchmarkRestart(b *testing.B) {
	quiet(b)
	var claims []runtime.Object
	for i := range 200 {
		claim := newClaim(driver, "gpu-0-mig-1g-5gb-0", fmt.Sprintf("claim-%d", i))
		claim.Status.Allocation.Devices.Results[0].AdminAccess = ptr.To(true)
		claims = append(claims, claim)
	}
	config, server := newConfig(b, claims...)
	config.Published = eightGPUs
	r := startWith(b, config, server)
	kubelet := r.kubelet(driver)
	for _, claim := range claims {
		_, err := kubelet.prepare(b.Context(), claim.(*resourceapi.ResourceClaim))
		r.g.Expect(err).NotTo(HaveOccurred())
	}
	for b.Loop() {
		r = r.restart()
		status, err := r.Status(b.Context(), driver)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(status.Claims).To(HaveLen(200))
	}
	debug.FreeOSMemory()
	b.ReportMetric(residentMiB(b), "MiB-RSS")
}

func residentMiB(b *testing.B) float64 {
	b.Helper()
	data, err := os.ReadFile("/proc/self/status")
	NewWithT(b).Expect(err).NotTo(HaveOccurred())
	for line := range bytes.Lines(data) {
		if size, ok := strings.CutPrefix(string(line), "VmRSS:"); ok {
			kib, err := strconv.Atoi(strings.Fields(size)[0])
			NewWithT(b).Expect(err).NotTo(HaveOccurred())
			return float64(kib) / 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}
