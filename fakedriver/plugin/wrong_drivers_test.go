// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

//go:build draconform_faults

package plugin_test

import (
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
