// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
)

func TestSwitch(t *testing.T) {
	claim := newClaim(driver, "gpu-1", "claim")
	r := start(t, claim)
	kubelet := r.kubelet(driver)
	_, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).To(HaveOccurred())

	status, err := r.Publish(t.Context(), driver, twoGPUs)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(status.Published).To(Equal(twoGPUs))
	r.g.Expect(status.Pending).To(BeEmpty())
	r.g.Expect(r.devices(driver)).To(And(HaveLen(52), ContainElement("gpu-1")), "after the response, the API server has it")
	_, err = kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred())

	_, err = r.Publish(t.Context(), driver, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.devices(driver)).To(HaveLen(26))
	status, err = r.Status(t.Context(), driver)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(status.Claims).To(Equal([]string{"default/claim"}), "prepared claims are kept")
	r.g.Expect(kubelet.unprepare(t.Context(), claim)).To(Succeed())

	_, err = r.Publish(t.Context(), driver, twoGPUs)
	r.g.Expect(err).NotTo(HaveOccurred())
	r = r.restart()
	r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Published", twoGPUs), "after a restart, too")
}

func TestPublishRejectsInvalidRequests(t *testing.T) {
	r := start(t)
	_, err := r.Publish(t.Context(), driver, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	before := r.slices(driver)
	taint := []resourceapi.DeviceTaint{{Key: "x", Effect: resourceapi.DeviceTaintEffectNoSchedule}}
	for message, change := range map[string]func(*control.Published){
		"the devices are missing":      func(p *control.Published) { p.Devices = control.Devices{} },
		`unknown model "abacus"`:       func(p *control.Published) { p.Devices.Model = "abacus" },
		"line 1: this is not":          func(p *control.Published) { p.Devices = control.Devices{Description: "x"} },
		"no device gpu-7 to taint":     func(p *control.Published) { p.Taints = map[string][]resourceapi.DeviceTaint{"gpu-7": taint} },
		`defect "Holes" is not known`:  func(p *control.Published) { p.Defect = "Holes" },
		"no shared device gpu-0":       func(p *control.Published) { p.Affinity = subnets("gpu-0", true) },
		"no shared device nic-1":       func(p *control.Published) { p.Devices = nics.Devices; p.Affinity = subnets("nic-1", true) },
		"device nic-0: key \"subnet\"": func(p *control.Published) { p.Devices = nics.Devices; p.Affinity = rules("nic-0", true, "subnet") },
	} {
		published := oneGPU
		change(&published)
		for _, name := range []string{driver, second} {
			_, err := r.Publish(t.Context(), name, published)
			r.g.Expect(err).To(And(MatchError(control.ErrInvalid), MatchError(ContainSubstring(message))))
		}
	}
	r.g.Expect(r.slices(driver)).To(Equal(before))
	r.g.Expect(r.List(t.Context())).To(HaveLen(1), "no driver is started")
	r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Published", oneGPU))
}

func TestTaints(t *testing.T) {
	r := start(t)
	tainted := oneGPU
	tainted.Taints = map[string][]resourceapi.DeviceTaint{"gpu-0": {{Key: "broken.example.com/fan", Effect: resourceapi.DeviceTaintEffectNoExecute}}}
	taints := func() []resourceapi.DeviceTaint {
		for _, slice := range r.slices(driver) {
			for _, device := range slice.Spec.Devices {
				if device.Name == "gpu-0" {
					return device.Taints
				}
			}
		}
		return nil
	}
	_, err := r.Publish(t.Context(), driver, tainted)
	r.g.Expect(err).NotTo(HaveOccurred())
	first := taints()
	r.g.Expect(first).To(HaveExactElements(And(HaveField("Key", "broken.example.com/fan"), HaveField("TimeAdded", Not(BeNil())))))

	r = r.restart()
	r.g.Eventually(func() (control.Status, error) { return r.Status(t.Context(), driver) }, "1m").Should(HaveField("Pending", ""))
	r.g.Expect(taints()).To(HaveExactElements(HaveField("TimeAdded.Time", BeTemporally("==", first[0].TimeAdded.Time))), "a restart keeps TimeAdded")
	_, err = r.Publish(t.Context(), driver, oneGPU)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(taints()).To(BeEmpty())
}

// Without counters, whole devices are published immediately. The partitions
// follow when the API server supports counters.
func TestPublishWithoutTheFeature(t *testing.T) {
	r := start(t)
	r.server.Change(fakeapi.CountersOnlyInDryRun)
	_, err := r.Publish(t.Context(), second, twoGPUs)
	r.g.Expect(err).NotTo(HaveOccurred())
	r.g.Expect(r.devices(second)).To(Equal([]string{"gpu-0", "gpu-1"}), "overlapping partitions are not published without counters")
}

// Guards that the driver retries until the API server accepts the slices, and
// that its status reports the error until then.
func TestPending(t *testing.T) {
	r := start(t)
	r.server.Change(fakeapi.Reject(func(verb, _ string) error {
		if verb == "create" {
			return errors.New("etcd is full")
		}
		return nil
	}))
	ctx, giveUp := context.WithCancel(t.Context())
	ended := later(func() error { _, err := r.Publish(ctx, second, twoGPUs); return err })
	r.g.Eventually(func() (control.Status, error) { return r.Status(t.Context(), second) }, "1m").
		Should(And(HaveField("Pending", ContainSubstring("etcd is full")), HaveField("Published", twoGPUs)))
	r.g.Expect(ended).NotTo(Receive(), "the response follows when the API server has it")
	giveUp()
	r.g.Eventually(ended, "1m").Should(Receive(HaveOccurred()))

	r.server.Change(fakeapi.RejectNothing)
	r.g.Eventually(func() (control.Status, error) { return r.Status(t.Context(), second) }, "1m", "50ms").Should(HaveField("Pending", ""))
	r.g.Expect(r.devices(second)).To(HaveLen(52))
}

func TestRegistration(t *testing.T) {
	claim := newClaim(driver, "gpu-0", "claim")
	r := start(t, claim)
	kubelet := r.kubelet(driver)
	r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Registered", true))
	r.g.Expect(r.Register(t.Context(), driver, false)).To(Succeed())
	r.g.Expect(r.registrar(driver)).NotTo(BeAnExistingFile())
	r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Registered", false))
	r.g.Expect(r.Register(t.Context(), driver, false)).To(Succeed())
	_, err := kubelet.prepare(t.Context(), claim)
	r.g.Expect(err).NotTo(HaveOccurred(), "an existing connection is served")

	r.g.Expect(r.Register(t.Context(), driver, true)).To(Succeed())
	r.g.Expect(r.Register(t.Context(), driver, true)).To(Succeed())
	r.register(driver)
	r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Registered", true))
}

func TestExit(t *testing.T) {
	r := start(t)
	r.g.Expect(r.Exit(t.Context())).To(Succeed())
	r.g.Eventually(r.exited, "1m").Should(Receive())
}

func TestUnknownDriver(t *testing.T) {
	r := start(t)
	_, err := r.Status(t.Context(), second)
	unknown := MatchError(control.ErrUnknownDriver)
	r.g.Expect(err).To(And(unknown, MatchError(ContainSubstring("no such driver: nic.example.com, use one of mig.example.com"))))
	_, err = r.Calls(t.Context(), second, 0)
	r.g.Expect(err).To(unknown)
	r.g.Expect(r.Stop(t.Context(), second)).To(unknown)
	r.g.Expect(r.Inject(t.Context(), second, calls.Fault{})).To(unknown)
	r.g.Expect(r.Release(t.Context(), second)).To(unknown)
	r.g.Expect(r.Register(t.Context(), second, true)).To(unknown)
	r.g.Expect(r.SetHealth(t.Context(), second, nil)).To(unknown)
}

// Guards that the kubelet can reach the driver after the process terminated
// without removing its sockets.
func TestRestartReplacesStaleSockets(t *testing.T) {
	r := start(t)
	r.register(driver)
	r = r.restart()
	_, err := registerapi.NewRegistrationClient(r.dial(r.registrar(driver))).GetInfo(t.Context(), &registerapi.InfoRequest{})
	r.g.Expect(err).NotTo(HaveOccurred())
}
