// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package plugin_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"
	healthpb "k8s.io/kubelet/pkg/apis/dra-health/v1"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
	"github.com/draconform/draconform/internal/fault"
)

func TestWrongDriverRenamesDevicesAtRestart(t *testing.T) {
	turnOn(t, &fault.RenamesDevicesAtRestart)
	r := start(t)
	r.g.Eventually(func() []string { return r.devices(driver) }, "1m").ShouldNot(BeEmpty())
	first := r.devices(driver)
	r = r.restart()
	r.g.Eventually(func() []string { return r.devices(driver) }, "1m").Should(And(HaveLen(len(first)), Not(ContainElement(BeElementOf(first)))))
	r = r.restart()
	r.g.Eventually(func() []string { return r.devices(driver) }, "1m").Should(ConsistOf(first), "at each restart")
}

func TestWrongDriverPublishesTwiceAtRestart(t *testing.T) {
	turnOn(t, &fault.PublishesTwiceAtRestart)
	r := start(t)
	r.g.Eventually(func() int { return len(r.slices(driver)) }, "1m").Should(Equal(2))
	r = r.restart()
	r.g.Eventually(func() int { return len(r.slices(driver)) }, "1m", "5ms").Should(BeNumerically(">", 2))
}

func TestWrongDriverOverstatesCounters(t *testing.T) {
	values := func(r *running) (all []int64) {
		r.g.Eventually(func() int { return len(r.slices(driver)) }, "1m").Should(Equal(2))
		for _, slice := range r.slices(driver) {
			for _, set := range slice.Spec.SharedCounters {
				multiprocessors := set.Counters["multiprocessors"].Value
				all = append(all, multiprocessors.Value())
			}
		}
		return all
	}
	want := values(start(t))
	turnOn(t, &fault.OverstatesCounters)
	got := values(start(t))
	g := NewWithT(t)
	g.Expect(want).To(HaveLen(1))
	g.Expect(got).To(Equal([]int64{2 * want[0]}))
}

func TestWrongDriverWritesNoDeviceStatus(t *testing.T) {
	turnOn(t, &fault.WritesNoDeviceStatus)
	claim := newClaim(driver, "gpu-0", "claim")
	r := startWithStatus(t, claim)
	_, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.statuses(claim)).To(BeEmpty())
}

func TestWrongDriverReportsFirstDeviceStatusOnly(t *testing.T) {
	turnOn(t, &fault.ReportsFirstDeviceStatusOnly)
	claim := twoRequests()
	r := startWithStatus(t, claim)
	_, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.statuses(claim)).To(HaveExactElements(HaveField("Device", "gpu-0-mig-1g-5gb-0")))
}

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

func TestWrongDriverLeavesSpecs(t *testing.T) {
	turnOn(t, &fault.LeavesSpecs)
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	kubelet := r.kubelet(driver)
	_, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(Succeed())
	r.g.Expect(r.prepared(driver)).To(BeEmpty())
	r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, driver+"*"))).NotTo(BeEmpty())
}

func TestWrongDriversHandleFirstClaimOnly(t *testing.T) {
	a, b := newClaim(driver, "gpu-0-mig-1g-5gb-0", "a"), newClaim(driver, "gpu-0-mig-1g-5gb-1", "b")
	r := start(t, a, b)
	kubelet := r.kubelet(driver)
	t.Run("prepares", func(t *testing.T) {
		turnOn(t, &fault.PreparesFirstClaimOnly)
		answer, err := kubelet.prepareTogether(t, a, b)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(answer.Claims).To(And(HaveLen(1), HaveKey("a")))
	})
	t.Run("unprepares", func(t *testing.T) {
		_, err := kubelet.prepareTogether(t, a, b)
		r.g.Expect(err).NotTo(HaveOccurred())
		turnOn(t, &fault.UnpreparesFirstClaimOnly)
		answer, err := kubelet.unprepareTogether(t, a, b)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(answer.Claims).To(HaveLen(2))
		r.g.Expect(r.prepared(driver)).To(Equal([]string{"default/b"}))
	})
}

func TestWrongDriverFailsToUnprepareUnknownClaims(t *testing.T) {
	turnOn(t, &fault.FailsToUnprepareUnknownClaims)
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	r.g.Expect(r.kubelet(driver).unprepare(t.Context(), claim)).To(MatchError(ContainSubstring("it is not prepared")))
}

func TestWrongDriverUnpreparesByName(t *testing.T) {
	for _, on := range []bool{false, true} {
		claim := newClaim(driver, "gpu-0", "claim")
		r := start(t, claim)
		kubelet := r.kubelet(driver)
		_, err := kubelet.prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
		if on {
			turnOn(t, &fault.UnpreparesByName)
		}
		earlier := claim.DeepCopy()
		earlier.UID = "earlier"
		r.g.Expect(kubelet.unprepare(t.Context(), earlier)).To(Succeed())
		r.g.Expect(r.prepared(driver)).To(HaveLen(map[bool]int{false: 1, true: 0}[on]))
	}
}

func TestWrongDriverNamesAnotherPool(t *testing.T) {
	turnOn(t, &fault.NamesAnotherPool)
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	devices, err := r.kubelet(driver).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(devices).To(HaveExactElements(HaveField("PoolName", "another")))
}

func TestWrongDriversMisdescribeHosts(t *testing.T) {
	for name, test := range map[string]struct {
		fault *bool
		hosts []string
		host  int
	}{
		"none":                     {new(bool), []string{"node-0", node}, 1},
		"shows the first host":     {&fault.ShowsPartOfFirstHost, []string{"node-0", node}, 0},
		"lists its own host first": {&fault.ListsOwnHostFirst, []string{node, "node-0"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			turnOn(t, test.fault)
			claim := newSliceClaim("tpu-2x4-0-0", "claim")
			r := start(t, claim, hostNode("node-0", "0"), hostNode("node-2", "2"), hostNode("node-3", "3"))
			_, err := r.server.Client.CoreV1().Nodes().Update(t.Context(), hostNode(node, "1"), metav1.UpdateOptions{})
			r.g.Expect(err).NotTo(HaveOccurred())
			_, err = r.Publish(t.Context(), tpus, fourByFour)
			r.g.Expect(err).NotTo(HaveOccurred())
			_, err = r.kubelet(tpus).prepare(t.Context(), claim)
			r.g.Expect(err).NotTo(HaveOccurred())
			r.g.Expect(r.containerDevices()).To(ConsistOf(HaveField("Part", HaveValue(And(HaveField("Hosts", test.hosts), HaveField("Host", test.host))))))
		})
	}
}

// The device has the last two of four hosts.
func TestWrongDriverNumbersHostsInTopology(t *testing.T) {
	turnOn(t, &fault.NumbersHostsInTopology)
	claim := newSliceClaim("tpu-2x4-2-0", "claim")
	r := start(t, claim, hostNode("node-0", "0"), hostNode("node-a", "1"), hostNode("node-2", "2"))
	_, err := r.server.Client.CoreV1().Nodes().Update(t.Context(), hostNode(node, "3"), metav1.UpdateOptions{})
	r.g.Expect(err).NotTo(HaveOccurred())
	_, err = r.Publish(t.Context(), tpus, fourByFour)
	r.g.Expect(err).NotTo(HaveOccurred())
	_, err = r.kubelet(tpus).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.containerDevices()).To(ConsistOf(HaveField("Part", HaveValue(And(HaveField("Hosts", []string{"node-2", node}), HaveField("Host", 3))))))
}

func TestWrongDriverLeavesOldSlices(t *testing.T) {
	turnOn(t, &fault.LeavesOldSlices)
	r := start(t)
	r.settle()
	generations := func() int {
		all := map[int64]bool{}
		for _, slice := range r.slices(driver) {
			all[slice.Spec.Pool.Generation] = true
		}
		return len(all)
	}
	r.g.Expect(generations()).To(Equal(1))
	_, err := r.Publish(t.Context(), driver, twoGPUs)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(generations()).To(Equal(2))
}

func TestWrongDriverRenewsDeviceStatus(t *testing.T) {
	turnOn(t, &fault.RenewsDeviceStatus)
	claim := newClaim(driver, "gpu-0", "claim")
	r := startWithStatus(t, claim)
	kubelet := r.kubelet(driver)
	for range 2 {
		_, err := kubelet.prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
	}
	r.g.Expect(r.writes()).To(Equal(2))
}

func TestWrongDriverOverwritesDeviceStatus(t *testing.T) {
	for _, on := range []bool{false, true} {
		if on {
			turnOn(t, &fault.OverwritesDeviceStatus)
		}
		claim := newClaim(driver, "gpu-0", "claim")
		claim.Status.Devices = []resourceapi.AllocatedDeviceStatus{{Driver: second, Pool: node, Device: "nic-0"}}
		r := startWithStatus(t, claim)
		_, err := r.kubelet(driver).prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
		r.g.Expect(r.statuses(claim)).To(And(HaveLen(map[bool]int{false: 2, true: 1}[on]), ContainElement(HaveField("Driver", driver))))
	}
}

func TestWrongDriverReportsNoStatusOfShares(t *testing.T) {
	for _, on := range []bool{false, true} {
		if on {
			turnOn(t, &fault.ReportsNoStatusOfShares)
		}
		claim := newShare("share", "a")
		r := startWithStatus(t, claim)
		_, err := r.Publish(t.Context(), second, nics)
		r.g.Expect(err).NotTo(HaveOccurred())
		_, err = r.kubelet(second).prepare(t.Context(), claim)
		r.g.Expect(err).NotTo(HaveOccurred())
		statuses := r.statuses(claim)
		r.g.Expect(statuses).To(HaveLen(1), "this API server validates nothing")
		r.g.Expect(statuses[0].ShareID == nil).To(Equal(on))
	}
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

// The API server does not store counters when the driver is started again.
func TestWrongDriverNeedsCounters(t *testing.T) {
	turnOn(t, &fault.NeedsCounters)
	r := start(t)
	r.settle()
	r.server.Change(fakeapi.CountersOff)
	r = r.restart()
	status := func() (control.Status, error) { return r.Status(t.Context(), driver) }
	isPending := HaveField("Pending", ContainSubstring("does not store counters"))
	r.g.Eventually(status).Should(isPending)
	r.g.Consistently(status, "1s").Should(isPending)
}
