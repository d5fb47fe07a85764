// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_variants

package plugin_test

import (
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	healthpb "k8s.io/kubelet/pkg/apis/dra-health/v1"

	"github.com/draconform/draconform/internal/variant"
)

// waitForSlices returns the slices of the driver when there are some.
func (r *running) waitForSlices() []resourceapi.ResourceSlice {
	r.tb.Helper()
	r.g.Eventually(func() []resourceapi.ResourceSlice { return r.slices(driver) }, "1m").ShouldNot(BeEmpty())
	r.settle()
	return r.slices(driver)
}

// twoOfOneRequest returns a claim with two devices for a request.
func twoOfOneRequest() *resourceapi.ResourceClaim {
	claim := newClaim(driver, "gpu-0-mig-1g-5gb-0", "claim")
	results := &claim.Status.Allocation.Devices.Results
	second := (*results)[0]
	second.Device = "gpu-0-mig-1g-5gb-1"
	*results = append(*results, second)
	return claim
}

func TestRightDriverNamesDevicesOtherwise(t *testing.T) {
	turnOn(t, &variant.NamesDevicesOtherwise)
	claim := newClaim(driver, "unit-gpu-0", "claim")
	r := start(t, claim)
	r.waitForSlices()
	r.g.Expect(r.devices(driver)).To(And(HaveLen(26), HaveEach(HavePrefix("unit-"))))
	_, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.healthOf(driver)).To(HaveKey("unit-gpu-0"))
}

func TestRightDriverNamesPoolsOtherwise(t *testing.T) {
	turnOn(t, &variant.NamesPoolsOtherwise)
	claim := newClaim(driver, "gpu-0", "claim")
	claim.Status.Allocation.Devices.Results[0].Pool = "devices-of-" + node
	r := start(t, claim)
	r.g.Expect(r.waitForSlices()).To(HaveEach(HaveField("Spec.Pool.Name", "devices-of-"+node)))
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveExactElements(HaveField("PoolName", "devices-of-"+node)))
	code, _ := r.readiness()
	r.g.Expect(code).To(Equal(200))
}

func TestRightDriverSplitsSlices(t *testing.T) {
	turnOn(t, &variant.SplitsSlices)
	r := start(t)
	r.g.Expect(r.waitForSlices()).To(And(HaveLen(7), HaveEach(HaveField("Spec.Pool.ResourceSliceCount", int64(7)))), "one for counters and six for 26 devices")
}

func TestRightDriverRepublishesOften(t *testing.T) {
	turnOn(t, &variant.RepublishesOften)
	r := start(t)
	first := r.waitForSlices()
	r.g.Eventually(func() []resourceapi.ResourceSlice { return r.slices(driver) }, "1m").Should(And(
		HaveLen(len(first)), HaveEach(HaveField("Spec.Pool.Generation", BeNumerically(">", first[0].Spec.Pool.Generation)))))
}

func TestRightDriverBeginsWithHighGeneration(t *testing.T) {
	turnOn(t, &variant.BeginsWithHighGeneration)
	r := start(t)
	r.g.Expect(r.waitForSlices()).To(HaveEach(HaveField("Spec.Pool.Generation", BeNumerically(">", 1000))))
}

func TestRightDriverResetsGeneration(t *testing.T) {
	turnOn(t, &variant.ResetsGenerationAtRestart)
	r := start(t)
	before := r.waitForSlices()
	r = r.restart()
	r.g.Eventually(func() []resourceapi.ResourceSlice { return r.slices(driver) }, "30s").Should(And(
		HaveLen(len(before)), HaveEach(HaveField("Spec.Pool.Generation", before[0].Spec.Pool.Generation-1))))
}

func TestRightDriverReportsHealthOften(t *testing.T) {
	turnOn(t, &variant.ReportsHealthOften)
	r := start(t)
	stream, err := healthpb.NewDRAResourceHealthClient(r.register(driver)).NodeWatchResources(t.Context(), &healthpb.NodeWatchResourcesRequest{})
	r.g.Expect(err).NotTo(HaveOccurred())
	began := time.Now()
	for range 5 {
		_, err := stream.Recv()
		r.g.Expect(err).NotTo(HaveOccurred())
	}
	r.g.Expect(time.Since(began)).To(BeNumerically("<", 30*time.Second), "it usually takes 40 seconds")
}

func TestRightDriverWritesMoreDeviceStatus(t *testing.T) {
	turnOn(t, &variant.WritesMoreDeviceStatus)
	claim := newClaim(driver, "gpu-0", "claim")
	r := startWithStatus(t, claim)
	_, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.statuses(claim)).To(HaveExactElements(And(HaveField("Data", Not(BeNil())), HaveField("NetworkData.IPs", []string{"192.0.2.1/24"}))))
}

func TestRightDriverAnswersSlowly(t *testing.T) {
	turnOn(t, &variant.AnswersSlowly)
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	began := time.Now()
	_, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(time.Since(began)).To(BeNumerically(">", 2*time.Second))
}

func TestRightDriverWritesDeviceStatusLate(t *testing.T) {
	turnOn(t, &variant.WritesDeviceStatusLate)
	claim := newClaim(driver, "gpu-0", "claim")
	r := startWithStatus(t, claim)
	kubelet := r.kubelet(driver)
	for range 2 {
		_, err := kubelet.prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
	}
	r.g.Expect(r.statuses(claim)).To(BeEmpty())
	r.g.Eventually(func() int { return len(r.statuses(claim)) }, "30s").Should(Equal(1))
	r.g.Consistently(r.writes, "2s").Should(Equal(1), "the second call does not write it again")
}

func TestRightDriverAnswersBackwards(t *testing.T) {
	turnOn(t, &variant.AnswersBackwards)
	claim := twoOfOneRequest()
	r := start(t, claim)
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveExactElements(HaveField("DeviceName", "gpu-0-mig-1g-5gb-1"), HaveField("DeviceName", "gpu-0-mig-1g-5gb-0")))
}

// The containers of the claim still see both devices.
func TestRightDriverGivesDevicesOnce(t *testing.T) {
	turnOn(t, &variant.GivesDevicesOnce)
	claim := twoOfOneRequest()
	r := start(t, claim)
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveExactElements(HaveField("CdiDeviceIds", HaveLen(3)), HaveField("CdiDeviceIds", BeEmpty())), "two devices and the metadata")
	r.g.Expect(r.containerDevices()).To(HaveLen(2))
}

func TestRightDriverNamesSpecsOtherwise(t *testing.T) {
	turnOn(t, &variant.NamesSpecsOtherwise)
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	_, name, _ := strings.Cut(devices[0].CdiDeviceIds[0], "=")
	r.g.Expect(name).To(MatchRegexp("^[0-9a-f]{64}$"))
	r.g.Expect(r.containerDevices()).To(HaveLen(1))
}

func TestRightDriverRegistersLate(t *testing.T) {
	turnOn(t, &variant.RegistersLate)
	r := start(t)
	r.g.Expect(r.registrar(driver)).NotTo(BeAnExistingFile())
	r.g.Eventually(r.registrar(driver), "30s").Should(BeAnExistingFile())
	r.register(driver)
}

func TestRightKubeletRepeatsCalls(t *testing.T) {
	turnOn(t, &variant.RepeatsCalls)
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	kubelet := r.kubelet(driver)
	_, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(Succeed())
	log, err := r.Calls(t.Context(), driver, 2)
	r.g.Expect(err).NotTo(HaveOccurred())
	prepare, unprepare := HaveField("Method", "NodePrepareResources"), HaveField("Method", "NodeUnprepareResources")
	r.g.Expect(log).To(HaveExactElements(prepare, prepare, unprepare, unprepare), "after the calls that register the driver")
}
