// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"errors"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/control"
)

// Guards that a process that exits or is killed leaves the state that the next
// process needs: the drivers, what they publish, the TimeAdded of taints,
// claims and their CDI specs. The next process replaces the sockets that are
// left.
func TestCrash(t *testing.T) {
	for name, crash := range map[string]func(p *process) (code int){
		"exit": func(p *process) int {
			p.g.Expect(p.Exit(t.Context())).To(Succeed())
			return 1
		},
		"kill": func(p *process) int {
			p.g.Expect(p.command.Process.Kill()).To(Succeed())
			return -1
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := startProcess(t)
			before, specs := p.beforeCrash()
			code := crash(p)
			var exit *exec.ExitError
			p.g.Expect(errors.As(p.command.Wait(), &exit)).To(BeTrue())
			p.g.Expect(exit.ExitCode()).To(Equal(code))
			for _, name := range []string{driver, second} {
				p.g.Expect(p.registrar(name)).To(BeAnExistingFile(), "the process left its socket")
			}

			r := startWith(t, p.config, p.server)
			r.settle()
			status, err := r.Status(t.Context(), second)
			r.g.Expect(err).NotTo(HaveOccurred())
			r.g.Expect(status.Published).To(Equal(before.Published))
			r.g.Expect(status.Claims).To(Equal([]string{"default/other"}))
			r.g.Expect(status.Damage).To(BeEmpty())
			r.g.Expect(r.taintsOf(second, "gpu-0")).To(Equal(before.Published.Taints["gpu-0"]), "a crash keeps TimeAdded")
			r.g.Expect(r.Status(t.Context(), driver)).To(HaveField("Claims", []string{"default/own"}))
			r.g.Expect(filepath.Glob(filepath.Join(r.config.CDIDir, "*"))).To(Equal(specs))

			kubelet := r.kubelet(second)
			_, err = kubelet.prepare(t.Context(), newClaim(second, "gpu-1", "late"))
			r.g.Expect(err).NotTo(HaveOccurred(), "the call that hung had no effect")
			r.g.Expect(kubelet.unprepare(t.Context(), newClaim(second, "gpu-0", "other"))).To(Succeed())
			r.g.Expect(r.kubelet(driver).unprepare(t.Context(), newClaim(driver, "gpu-0", "own"))).To(Succeed())
		})
	}
}

// beforeCrash makes two drivers publish devices and prepare claims, and makes a
// call hang. It returns the status of the second driver and the files for the
// container runtime.
func (p *process) beforeCrash() (control.Status, []string) {
	p.tb.Helper()
	published := twoGPUs
	added := metav1.NewTime(time.Date(2020, time.February, 2, 2, 2, 2, 0, time.UTC)).Rfc3339Copy()
	published.Taints = map[string][]resourceapi.DeviceTaint{"gpu-0": {
		{Key: "example.com/since-now", Effect: resourceapi.DeviceTaintEffectNoSchedule},
		{Key: "example.com/since-then", Effect: resourceapi.DeviceTaintEffectNoExecute, TimeAdded: &added},
	}}
	status, err := p.Publish(p.tb.Context(), second, published)
	p.g.Expect(err).NotTo(HaveOccurred())
	taints := status.Published.Taints["gpu-0"]
	p.g.Expect(taints[0].TimeAdded).NotTo(BeNil())
	p.g.Expect(taints[1].TimeAdded.Time).To(BeTemporally("==", added.Time))

	_, err = p.kubelet(driver).prepare(p.tb.Context(), newClaim(driver, "gpu-0", "own"))
	p.g.Expect(err).NotTo(HaveOccurred())
	kubelet := p.kubelet(second)
	_, err = kubelet.prepare(p.tb.Context(), newClaim(second, "gpu-0", "other"))
	p.g.Expect(err).NotTo(HaveOccurred())
	p.g.Expect(p.Inject(p.tb.Context(), second, calls.Fault{Method: calls.Prepare, Action: calls.Hang, Count: 1})).To(Succeed())
	later(func() error {
		_, err := kubelet.prepare(p.tb.Context(), newClaim(second, "gpu-1", "late"))
		return err
	})
	p.calls(second, 3, 1)
	specs, err := filepath.Glob(filepath.Join(p.config.CDIDir, "*"))
	p.g.Expect(err).NotTo(HaveOccurred())
	return status, specs
}

// taintsOf returns the taints of a device in the API server.
func (r *running) taintsOf(driver, device string) []resourceapi.DeviceTaint {
	r.tb.Helper()
	for _, slice := range r.slices(driver) {
		for _, candidate := range slice.Spec.Devices {
			if candidate.Name == device {
				return candidate.Taints
			}
		}
	}
	return nil
}
