// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/control"
)

// ten are drivers in addition to the pod's own driver. Each has a claim for its
// device gpu-0.
type ten struct {
	*running
	names    []string
	claims   []*resourceapi.ResourceClaim
	kubelets []kubelet
}

// startTen starts the drivers through the control endpoint, registers them and
// prepares their claims, all concurrently.
func startTen(t *testing.T, published func(i int) control.Published) *ten {
	t.Helper()
	out := &ten{kubelets: make([]kubelet, 10)}
	var objects []runtime.Object
	for i := range 10 {
		name := fmt.Sprintf("d%d.example.com", i)
		claim := newClaim(name, "gpu-0", fmt.Sprintf("claim-%d", i))
		out.names, out.claims, objects = append(out.names, name), append(out.claims, claim), append(objects, claim)
	}
	out.running = start(t, objects...)
	out.each(func(i int) {
		_, err := out.Publish(t.Context(), out.names[i], published(i))
		out.g.Expect(err).NotTo(HaveOccurred())
		out.kubelets[i] = out.kubelet(out.names[i])
		_, err = out.kubelets[i].prepare(t.Context(), out.claims[i])
		out.g.Expect(err).NotTo(HaveOccurred())
	})
	return out
}

// each calls do concurrently for all drivers.
func (d *ten) each(do func(i int)) {
	var all sync.WaitGroup
	for i := range d.names {
		all.Go(func() { do(i) })
	}
	all.Wait()
}

// status returns the status of one of the drivers.
func (d *ten) status(i int) control.Status {
	d.tb.Helper()
	status, err := d.Status(d.tb.Context(), d.names[i])
	d.g.Expect(err).NotTo(HaveOccurred())
	return status
}

// Guards that a change of one driver does not affect the others.
func TestTen(t *testing.T) {
	d := startTen(t, func(int) control.Published { return oneGPU })
	d.g.Expect(d.Inject(t.Context(), d.names[3], calls.Fault{Method: calls.Unprepare, Action: calls.Fail, Count: 1, Message: "smoke"})).To(Succeed())
	d.g.Expect(d.Register(t.Context(), d.names[5], false)).To(Succeed())
	d.g.Expect(d.SetHealth(t.Context(), d.names[7], control.Health{"gpu-0": {Status: kubeletplugin.HealthStatusUnhealthy}})).To(Succeed())
	_, err := d.Publish(t.Context(), d.names[9], twoGPUs)
	d.g.Expect(err).NotTo(HaveOccurred())

	devices := func(i int) int { return map[bool]int{true: 52, false: 26}[i == 9] }
	d.each(func(i int) {
		status := d.status(i)
		d.g.Expect(status.Claims).To(Equal([]string{"default/" + d.claims[i].Name}))
		d.g.Expect(status.Registered).To(Equal(i != 5), d.names[i])
		d.g.Expect(d.devices(d.names[i])).To(HaveLen(devices(i)))

		failed := d.kubelets[i].unprepare(t.Context(), d.claims[i])
		d.g.Expect(failed == nil).To(Equal(i != 3), d.names[i])
		log, err := d.Calls(t.Context(), d.names[i], 2)
		d.g.Expect(err).NotTo(HaveOccurred())
		d.g.Expect(log).To(HaveExactElements(HaveField("Method", calls.Prepare), HaveField("Method", calls.Unprepare)))
		for _, call := range log {
			d.g.Expect(call.Claims).To(HaveExactElements(HaveField("Name", d.claims[i].Name)))
		}
	})
	d.g.Expect(d.status(3).Claims).To(HaveLen(1))
	own, err := d.Status(t.Context(), driver)
	d.g.Expect(err).NotTo(HaveOccurred())
	d.g.Expect(own.Claims).To(BeEmpty())
}

// Guards that a driver can be stopped if none of its claims is prepared,
// regardless of the claims of other drivers.
func TestTenStop(t *testing.T) {
	d := startTen(t, func(int) control.Published { return oneGPU })
	d.each(func(i int) {
		if i%2 == 0 {
			d.g.Expect(d.kubelets[i].unprepare(t.Context(), d.claims[i])).To(Succeed())
		}
	})
	d.each(func(i int) {
		err := d.Stop(t.Context(), d.names[i])
		if i%2 == 0 {
			d.g.Expect(err).NotTo(HaveOccurred())
			return
		}
		d.g.Expect(err).To(And(MatchError(control.ErrInUse), MatchError(ContainSubstring(d.claims[i].Name))))
	})
	d.g.Expect(d.List(t.Context())).To(HaveLen(6))
	d.each(func(i int) {
		specs, err := filepath.Glob(filepath.Join(d.config.CDIDir, d.names[i]+"*"))
		d.g.Expect(err).NotTo(HaveOccurred())
		if i%2 == 0 {
			d.g.Expect(specs).To(BeEmpty(), d.names[i])
			d.g.Expect(d.slices(d.names[i])).To(BeEmpty(), d.names[i])
			return
		}
		d.g.Expect(specs).To(HaveLen(2), d.names[i])
		d.g.Expect(d.slices(d.names[i])).To(HaveLen(2), d.names[i])
		_, err = d.kubelets[i].prepare(t.Context(), d.claims[i])
		d.g.Expect(err).NotTo(HaveOccurred(), "a driver that cannot stop keeps running")
	})
}

// Guards that a restart restores all drivers with what they published and
// prepared.
func TestTenRestart(t *testing.T) {
	kinds := []control.Published{oneGPU, twoGPUs, oneGPU, oneGPU}
	kinds[2].Taints = map[string][]resourceapi.DeviceTaint{"gpu-0": {{Key: "example.com/x", Effect: resourceapi.DeviceTaintEffectNoSchedule}}}
	kinds[3].Defect = control.UnknownCounter
	d := startTen(t, func(i int) control.Published { return kinds[i%len(kinds)] })
	before := map[string]control.Status{}
	slices := map[string][]resourceapi.ResourceSlice{}
	for i, name := range d.names {
		before[name], slices[name] = d.status(i), d.slices(name)
	}

	d.running = d.restart()
	d.g.Expect(d.List(t.Context())).To(HaveLen(11))
	d.settle()
	d.each(func(i int) {
		name := d.names[i]
		d.g.Expect(d.status(i)).To(And(HaveField("Published", before[name].Published), HaveField("Claims", before[name].Claims)))
		if before[name].Published.Defect == "" {
			d.g.Expect(d.slices(name)).To(Equal(slices[name]), "valid slices are not written again")
		} else {
			d.g.Expect(d.devices(name)).To(ContainElement(control.ObsoleteDevice), "the defect is kept")
		}
		d.g.Expect(d.kubelet(name).unprepare(t.Context(), d.claims[i])).To(Succeed())
	})
	d.g.Expect(filepath.Glob(filepath.Join(d.config.CDIDir, "*"))).To(BeEmpty())
}
