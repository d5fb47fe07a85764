// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// drivers returns the drivers in a file.
func drivers(t *testing.T, name, content string) []*driverfile.Driver {
	t.Helper()
	t.Chdir(t.TempDir())
	g := NewWithT(t)
	g.Expect(os.WriteFile(filepath.Join(".", name), []byte(content), 0o600)).To(Succeed())
	all, err := driverfile.Read(name)
	g.Expect(err).NotTo(HaveOccurred())
	return all
}

const gpuFile = `apiVersion: draconform.dev/v1alpha1
kind: Driver
name: gpu.example.com
roles:
  exclusive:
    device:
      inlineClass: {selectors: ['device.driver == "$(name)"']}
      selectors: ["true", 'device.attributes["$(name)"].type == "gpu"']
      count: 8
      config: [{parameters: {b: 1, a: 2}}]
  partitions:
    small: {inlineClass: {selectors: ['device.driver == "$(name)"']}}
  shared:
    share: {class: $(name), capacity: {$(name)/slots: 2}}
`

func TestOf(t *testing.T) {
	g := NewWithT(t)
	s, err := Of(drivers(t, "gpu.yaml", gpuFile)...)
	g.Expect(err).NotTo(HaveOccurred())
	config := resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: "gpu.example.com", Parameters: runtime.RawExtension{Raw: []byte(`{"b":1,"a":2}`)},
	}}
	g.Expect(s.Exclusive.Device).To(Equal(Device{
		Driver: "gpu.example.com", Class: "draconform-1.gpu.example.com", Selector: `(true) && (device.attributes["gpu.example.com"].type == "gpu")`,
		Count: 8, Config: []resourceapi.DeviceConfiguration{config},
	}))
	g.Expect(s.Partitions.Small).To(Equal(Device{Driver: "gpu.example.com", Class: "draconform-1.gpu.example.com"}), "equal classes are one class")
	g.Expect(s.Classes).To(HaveLen(1))
	g.Expect(s.Classes[0].Spec.Selectors[0].CEL.Expression).To(Equal(`device.driver == "gpu.example.com"`))
	g.Expect(s.Shared.Share.Capacity).To(Equal(map[resourceapi.QualifiedName]resource.Quantity{"gpu.example.com/slots": resource.MustParse("2")}))
	g.Expect(s.Shared.Apart).To(BeNil())
	g.Expect(s.Drivers()).To(Equal([]string{"gpu.example.com"}))
}

// A spec that cannot run has a reason with the place in the file that would
// change it.
func TestMissingFields(t *testing.T) {
	g := NewWithT(t)
	s, err := Of(drivers(t, "gpu.yaml", gpuFile)...)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Missing([]Kind{KindShared, KindMultiHost})).To(Equal("no driver offers devices of the kind multi-host: add roles.multiHost to gpu.yaml, line 4"))
	g.Expect(s.Lacks([]Field{PartitionParents})).To(Equal("needs roles.partitions.parents: add it to gpu.yaml, line 11"))
	for _, kind := range Kinds() {
		for _, field := range kind.Fields() {
			g.Expect(s.Lacks([]Field{field})).To(HavePrefix("needs "+string(field)+": add it to gpu.yaml, line "), string(field))
		}
	}
	g.Expect(s.Lacks(nil)).To(BeEmpty())
}

// The fake drivers have all fields, so that no spec is left out.
func TestFakesHaveAllFields(t *testing.T) {
	g := NewWithT(t)
	s := Fakes{MIG: "mig", TPU: "tpu", NIC: "nic"}.Subject()
	g.Expect(s.Missing(Kinds())).To(BeEmpty())
	for _, kind := range Kinds() {
		g.Expect(s.Lacks(kind.Fields())).To(BeEmpty())
		g.Expect(Subject{}.Lacks(kind.Fields())).NotTo(BeEmpty())
	}
}

func TestUnseenDevices(t *testing.T) {
	g := NewWithT(t)
	const presence = "- deviceNodes: {path: /dev/gpu}\n  presence: true\n"
	for containers, want := range map[string]Visibility{
		"":                         Hidden,
		"containers:\n" + presence: Present,
		"containers:\n" + presence + "- metadata: true\n": Present,
		"containers:\n- metadata: true\n" + presence:      Identified,
	} {
		s, err := Of(drivers(t, "gpu.yaml", gpuFile+containers)...)
		g.Expect(err).NotTo(HaveOccurred())
		for needed := Hidden; needed <= Identified; needed++ {
			why := s.Unseen(needed, s.Drivers())
			if want >= needed {
				g.Expect(why).To(BeEmpty(), containers)
			} else {
				g.Expect(why).To(ContainSubstring("to gpu.yaml, line "), containers)
			}
		}
	}
	g.Expect(Fakes{MIG: "mig"}.Subject().Unseen(Identified, []string{"mig"})).To(BeEmpty())
}

// A file can deny a capability, which is then not searched for.
func TestDeniedCapabilities(t *testing.T) {
	g := NewWithT(t)
	s, err := Of(drivers(t, "gpu.yaml", gpuFile+"capabilities:\n  health: no\n")...)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Denied([]Capability{DeviceMetadata, Health}, s.Drivers())).To(MatchRegexp(`^needs capabilities.health of driver gpu.example.com, which is no in gpu.yaml, line \d+$`))
	g.Expect(s.Denied([]Capability{DeviceMetadata}, s.Drivers())).To(BeEmpty(), "the default is to find out")
	g.Expect(s.Denied([]Capability{Health}, nil)).To(BeEmpty(), "only drivers that the spec uses count")
}

func TestSeveralDrivers(t *testing.T) {
	g := NewWithT(t)
	const nic = "apiVersion: draconform.dev/v1alpha1\nkind: Driver\nname: nic.example.com\nroles:\n  shared:\n    share: {class: nic}\n"
	gpu := drivers(t, "gpu.yaml", gpuFile)
	other := drivers(t, "nic.yaml", nic)
	_, err := Of(gpu[0], other[0])
	g.Expect(err).To(MatchError("drivers gpu.example.com and nic.example.com both have the role roles.shared: leave it out of one of the files, a run judges one driver per role"))

	gpu[0].Roles.Shared = nil
	s, err := Of(gpu[0], other[0])
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(s.Drivers()).To(Equal([]string{"gpu.example.com", "nic.example.com"}))
	g.Expect(s.Lacks([]Field{SharedIdentity})).To(Equal("needs roles.shared.identity: add it to nic.yaml, line 5"))
	seen, err := s.Seen(printed(t))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(seen).To(Equal(Seen{Hidden: []string{"gpu.example.com", "nic.example.com"}}))
	nicDevice := audit.DeviceID{Driver: "nic.example.com", Pool: "p", Device: "d"}
	g.Expect(seen.Assuming([]audit.DeviceID{nicDevice})).To(ConsistOf(nicDevice))
}
