// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"bytes"
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/workload/report"
	"github.com/draconform/draconform/fakedriver/devenv"
)

// printed returns a container with the given devices of the fake drivers. The
// devices that are offered are not known, because the fake drivers show the
// full name of a device.
func printed(t *testing.T, devices ...devenv.Device) Container {
	t.Helper()
	var environ []string
	for _, d := range devices {
		variable, err := d.Variable()
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		environ = append(environ, variable)
	}
	return printedEnvironment(t, environ...)
}

func printedEnvironment(t *testing.T, environ ...string) Container {
	t.Helper()
	var log bytes.Buffer
	NewWithT(t).Expect(json.NewEncoder(&log).Encode(report.New(environ, t.TempDir()))).To(Succeed())
	return Container{Log: log.Bytes()}
}

func device(driver, name string) devenv.Device {
	return devenv.Device{
		Driver: driver, Pool: "node-1", Device: name, Request: "r", ClaimUID: "uid", Attributes: map[string]string{"text": `"},{`},
		Configs: []devenv.Config{{Source: "FromClaim", Parameters: json.RawMessage(`{"driver":"another","part":{"hosts":["a"]}}`)}},
	}
}

func TestFakesAreSeen(t *testing.T) {
	g := NewWithT(t)
	seen := Fakes{MIG: "mig.example.com", TPU: "tpu.example.com", NIC: "nic.example.com"}.Subject().Seen
	g.Expect(seen(printed(t))).To(Equal(Seen{}), "a container without devices")
	all, err := seen(printed(t, device("nic.example.com", "a"), device("mig.example.com", "b"), device("mig.example.com", "a")))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(all.Devices).To(ConsistOf(
		audit.DeviceID{Driver: "mig.example.com", Pool: "node-1", Device: "a"}, audit.DeviceID{Driver: "mig.example.com", Pool: "node-1", Device: "b"},
		audit.DeviceID{Driver: "nic.example.com", Pool: "node-1", Device: "a"},
	))
	g.Expect(all.Assuming(nil)).To(Equal(all.Devices))
}

// A driver may show a device under another driver's name. No spec requests such
// a device, so that the assertions on containers find it.
func TestDevicesOfOtherDriversAreSeen(t *testing.T) {
	g := NewWithT(t)
	seen := Fakes{MIG: "mig.example.com", NIC: "nic.example.com"}.Subject().Seen
	all, err := seen(printed(t, device("mig.example.com", "a"), device("other.example.com", "b")))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(all.Devices).To(ConsistOf(
		audit.DeviceID{Driver: "mig.example.com", Pool: "node-1", Device: "a"}, audit.DeviceID{Driver: "other.example.com", Pool: "node-1", Device: "b"},
	))
}

func TestSeenErrors(t *testing.T) {
	g := NewWithT(t)
	seen := Fakes{MIG: "mig.example.com"}.Subject().Seen
	_, err := seen(Container{})
	g.Expect(err).To(MatchError(ContainSubstring("the container has not reported its devices yet")))
	_, err = seen(printedEnvironment(t, `DRACONFORM_DEVICE_X={"driver":"mig.example.com","pool":"p","device":"d","request":}`))
	g.Expect(err).To(MatchError(ContainSubstring("which is not valid JSON")))
	_, err = seen(printedEnvironment(t, `DRACONFORM_DEVICE_X={"driver":"mig.example.com"}`))
	g.Expect(err).To(MatchError(HavePrefix("the container could not read its devices: [variable DRACONFORM_DEVICE_X has the value ")))
}

// Devices that a container cannot identify count as the wanted ones.
func TestAssuming(t *testing.T) {
	g := NewWithT(t)
	a, b := audit.DeviceID{Driver: "a", Pool: "p", Device: "1"}, audit.DeviceID{Driver: "b", Pool: "p", Device: "1"}
	want := []audit.DeviceID{a, b}
	g.Expect(Seen{Devices: []audit.DeviceID{a}, Unidentified: []string{"b"}}.Assuming(want)).To(ConsistOf(want))
	g.Expect(Seen{Devices: []audit.DeviceID{a}, Hidden: []string{"b"}}.Assuming(want)).To(ConsistOf(want))
	g.Expect(Seen{Devices: []audit.DeviceID{a}}.Assuming(want)).To(ConsistOf(a), "the container sees no device of b")
	g.Expect(Seen{Unidentified: []string{"b"}}.Assuming(nil)).To(ConsistOf(audit.DeviceID{Driver: "b"}), "the container should see no device of b")
	g.Expect(Seen{Hidden: []string{"b"}}.Assuming(nil)).To(BeEmpty())
}

// The containers of a pod share its network interfaces, but not those of other pods.
func TestSeenForContainersOfAPod(t *testing.T) {
	g := NewWithT(t)
	a, other, foreign := audit.DeviceID{Driver: "a", Pool: "p", Device: "1"}, audit.DeviceID{Driver: "a", Pool: "p", Device: "2"}, audit.DeviceID{Driver: "a", Pool: "p", Device: "3"}
	want, allocated := []audit.DeviceID{a}, []audit.DeviceID{a, other}
	all := Seen{Devices: []audit.DeviceID{a, other}, OfPod: []string{"a"}}
	g.Expect(all.For(want, allocated).Devices).To(ConsistOf(a))
	g.Expect(all.For(nil, allocated).Devices).To(BeEmpty(), "a container that uses no claim")
	g.Expect(Seen{Devices: []audit.DeviceID{a, other}}.For(want, allocated).Devices).To(ConsistOf(a, other), "what a container sees for itself")
	g.Expect(Seen{Devices: []audit.DeviceID{a, foreign}, OfPod: []string{"a"}}.For(want, allocated).Devices).To(ConsistOf(a, foreign), "a device of another pod")
	g.Expect(Seen{Devices: []audit.DeviceID{other}, OfPod: []string{"a"}}.For(want, allocated).Devices).To(BeEmpty(), "the wanted device is missing")

	some := Seen{Unidentified: []string{"a"}, OfPod: []string{"a"}}
	g.Expect(some.For(nil, allocated).Assuming(nil)).To(BeEmpty(), "the device may be that of another container")
	g.Expect(some.For(want, allocated).Assuming(want)).To(ConsistOf(a))
	g.Expect(some.For(nil, nil).Assuming(nil)).To(ConsistOf(audit.DeviceID{Driver: "a"}), "the pod has no device")
}
