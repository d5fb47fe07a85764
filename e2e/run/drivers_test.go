// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/fakedriver/control"
)

// Specs about drivers also run in clusters without partitionable devices.
func TestDriversPublishWholeDevicesWithoutPartitions(t *testing.T) {
	partitioned, whole := control.Devices{Model: "a100-40gb", Count: 1}, control.Devices{Model: "l4", Count: 4}
	for name, test := range map[string]struct {
		found      features.Set
		partitions bool
		devices    control.Devices
	}{
		"present":   {features.Set{features.Partitions: {Present: true}}, true, partitioned},
		"not known": {nil, true, partitioned},
		"absent":    {features.Set{features.Partitions: {}}, false, whole},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			r := &runner{plan: &plan{suffix: "1"}}
			r.report.Features = test.found
			f := r.fakes(t.Context(), true)
			g.Expect(f.drivers[mig].Devices).To(Equal(test.devices))
			s := f.subject()
			g.Expect(s.Exclusive.Device.Driver).To(Equal("mig-1.draconform.dev"))
			g.Expect(s.Partitions != nil).To(Equal(test.partitions))
			if test.partitions {
				g.Expect(s.Exclusive.Device.Selector).NotTo(Equal(s.Exclusive.Whole.Selector))
			} else {
				g.Expect(s.Exclusive.Device.Selector).To(Equal(s.Exclusive.Whole.Selector))
			}
		})
	}
}

// Workers of a run use the devices that the run has installed.
func TestWorkersUseInstalledDrivers(t *testing.T) {
	g := NewWithT(t)
	kubeconfig, _ := apiServer(t)
	p := workerInput{Config: Config{Provider: Existing}, Kubeconfig: kubeconfig, Context: "test", Features: features.Set{features.Partitions: {}}}
	r, err := p.runner()
	g.Expect(err).NotTo(HaveOccurred())
	f := r.fakes(t.Context(), false)
	g.Expect(f.subject().Partitions).To(BeNil())
	g.Expect(f.use(t.Context(), []suite.Spec{{Kinds: []subject.Kind{subject.KindExclusive}}})).To(Succeed())
	g.Expect(f.options(f.drivers[mig].DriverName)).To(Equal(f.drivers[mig]))
}

func TestDriversOf(t *testing.T) {
	g := NewWithT(t)
	of := func(kinds ...subject.Kind) suite.Spec { return suite.Spec{Kinds: kinds} }
	fakes := subject.Fakes{MIG: "mig", TPU: "tpu", NIC: "nic"}.Subject()
	g.Expect(driversOf(fakes, []suite.Spec{of(subject.KindShared, subject.KindPartition), of(subject.KindExclusive), of()})).To(Equal([]string{"mig", "nic"}))
	for _, s := range specs.All() {
		g.Expect(driversOf(fakes, []suite.Spec{s})).NotTo(ContainElement(""), "no driver has the devices of spec %s", s.ID)
		if len(s.Kinds) > 0 {
			g.Expect(driversOf(fakes, []suite.Spec{s})).NotTo(BeEmpty(), s.ID)
		} else {
			g.Expect(driversOf(fakes, []suite.Spec{s})).To(BeEmpty(), s.ID)
		}
	}
}

// Only the drivers whose devices specs use are installed.
func TestFakesInUse(t *testing.T) {
	g := NewWithT(t)
	f := (&runner{plan: &plan{suffix: "1"}}).fakes(t.Context(), true)
	g.Expect(f.use(t.Context(), []suite.Spec{{Kinds: []subject.Kind{subject.KindShared}}, {Kinds: []subject.Kind{subject.KindMultiHost, subject.KindShared}}, {}})).To(Succeed())
	g.Expect(f.reportSubject().Drivers).To(Equal([]string{"nic-1.draconform.dev", "tpu-1.draconform.dev"}))
}

// A driver that was not installed must not be in the report.
func TestReportSubject(t *testing.T) {
	g := NewWithT(t)
	f := (&runner{plan: &plan{suffix: "1"}}).fakes(t.Context(), true)
	g.Expect(f.install(t.Context(), []suite.Spec{{ID: "simulated", Needs: []env.Need{env.NeedsSimulatedNodes}}})).To(Succeed())
	g.Expect(f.reportSubject()).To(Equal(report.Subject{Drivers: []string{}}))

	f.installed = append(f.installed, f.drivers[nic])
	g.Expect(f.reportSubject()).To(Equal(report.Subject{Drivers: []string{"nic-1.draconform.dev"}, Installed: true}))
}
