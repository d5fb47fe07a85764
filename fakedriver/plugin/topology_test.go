// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
	"github.com/draconform/draconform/fakedriver/publish"
	"github.com/draconform/draconform/fakedriver/topology"
)

// Guards that the driver removes what it published on its node before,
// publishes nothing itself, and does not change the slices of the controller.
func TestTopologyIsNotPublishedByTheNode(t *testing.T) {
	loaded, err := topology.Load("4x4")
	g := NewWithT(t)
	g.Expect(err).NotTo(HaveOccurred())
	layout, err := loaded.Pool(loaded.Nodes()).Slices(publish.SeparateCounters)
	g.Expect(err).NotTo(HaveOccurred())
	objects := fourHosts()
	for _, slice := range publish.Objects(tpus, "4x4", layout) {
		objects = append(objects, slice)
	}
	r := startOn(t, fakeapi.New(objects), "node-a", fourByFour)
	published := func() []resourceapi.ResourceSlice { return r.slices(tpus) }
	before := published()
	g.Expect(before).To(HaveLen(2))
	g.Eventually(func() int { r.register(tpus); code, _ := r.readiness(); return code }, "1m").Should(Equal(200))
	g.Expect(published()).To(Equal(before))

	_, err = r.Publish(t.Context(), tpus, nics)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(published()).To(HaveLen(3))
	_, err = r.Publish(t.Context(), tpus, fourByFour)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(published()).To(Equal(before))
	r = r.restart()
	r.settle()
	g.Expect(r.Status(t.Context(), tpus)).To(HaveField("Published", fourByFour))
	g.Expect(published()).To(Equal(before))
	g.Expect(r.healthOf(tpus)).To(And(HaveLen(7), HaveKey("tpu-4x4-0-0")))
}

// Guards that one pod can serve GPUs and, as a second driver, a topology. Both
// survive a restart.
func TestSecondDriverWithATopology(t *testing.T) {
	claim, gpu := newSliceClaim("tpu-2x2-0-0", "claim"), newClaim(driver, "gpu-0", "gpu")
	r := start(t, claim, gpu, hostNode("node-0", "1"), hostNode("node-2", "2"), hostNode("node-3", "3"))
	_, err := r.server.Client.CoreV1().Nodes().Update(t.Context(), hostNode(node, "0"), metav1.UpdateOptions{})
	r.g.Expect(err).NotTo(HaveOccurred())
	_, err = r.Publish(t.Context(), tpus, fourByFour)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.slices(tpus)).To(BeEmpty())
	_, err = r.kubelet(driver).prepare(t.Context(), gpu)
	r.g.Expect(err).NotTo(HaveOccurred())

	r = r.restart()
	_, err = r.kubelet(tpus).prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.containerDevices()).To(ConsistOf(
		And(HaveField("Device", "gpu-0"), HaveField("Part", BeNil())),
		And(HaveField("Device", "tpu-2x2-0-0"), HaveField("Part", HaveValue(HaveField("Hosts", []string{node})))),
	))
	r.g.Expect(r.Stop(t.Context(), tpus)).To(MatchError(control.ErrInUse))
	r.g.Expect(r.kubelet(tpus).unprepare(t.Context(), claim)).To(Succeed())
	r.g.Expect(r.Stop(t.Context(), tpus)).To(Succeed())
}

func TestInvalidTopologies(t *testing.T) {
	r := start(t)
	taint := map[string][]resourceapi.DeviceTaint{"tpu-2x2-0-0": {{Key: "x", Effect: resourceapi.DeviceTaintEffectNoSchedule}}}
	for message, change := range map[string]func(*control.Published){
		`unknown topology "9x9", use one of 4x4, 8x8`:     func(p *control.Published) { p.Devices.Topology = "9x9" },
		"described topology: grid is missing":             func(p *control.Published) { p.Devices.Topology = "name: x\n" },
		"either those of a topology or those of the node": func(p *control.Published) { p.Devices.Model, p.Devices.Count = "a100-40gb", 1 },
		"they cannot have taints, affinity or a defect":   func(p *control.Published) { p.Taints = taint },
		"cannot have taints, affinity or a defect":        func(p *control.Published) { p.Affinity = subnets("tpu-2x2-0-0", true) },
		"taints, affinity or a defect here":               func(p *control.Published) { p.Defect = control.MissingSlice },
		"hosts are assigned by name without a topology that has hosts": func(p *control.Published) {
			p.Devices = control.Devices{Model: "a100-40gb", Count: 1, AssignHostsByName: true}
		},
	} {
		published := fourByFour
		change(&published)
		_, err := r.Publish(t.Context(), second, published)
		r.g.Expect(err).To(And(MatchError(control.ErrInvalid), MatchError(ContainSubstring(message))))
	}
	r.g.Expect(r.List(t.Context())).To(HaveLen(1), "no driver is started")
}
