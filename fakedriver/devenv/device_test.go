// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package devenv_test

import (
	"encoding/json"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/devenv"
)

var partition = devenv.Device{
	Driver:         "mig.example.com",
	Pool:           "node-1",
	Device:         "gpu-0-mig-1g-5gb-3",
	Request:        "gpu/small",
	ClaimNamespace: "default",
	ClaimName:      "claim",
	ClaimUID:       "a-b-c",
	Attributes:     map[string]string{"profile": "1g.5gb"},
}

func TestVariable(t *testing.T) {
	g := NewWithT(t)
	variable, err := partition.Variable()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(variable).To(MatchRegexp(`^DRACONFORM_DEVICE_GPU_0_MIG_1G_5GB_3_[0-9A-F]{12}=\{`))

	shared := partition
	shared.ShareID = "share"
	second, err := shared.Variable()
	g.Expect(err).NotTo(HaveOccurred())
	devices, errs := devenv.Parse([]string{"PATH=/bin", second, variable, "DRACONFORM=1"})
	g.Expect(errs).To(BeEmpty())
	g.Expect(devices).To(Equal([]devenv.Device{partition, shared}))
}

// Containers on two nodes that use one device have a variable with the same
// name. Its value contains the part of the device on the container's node.
func TestParts(t *testing.T) {
	g := NewWithT(t)
	first := partition
	first.Part = &devenv.Part{Shape: "2x4", Hosts: []string{"node-1", "node-2"}, Chips: []string{"0,0", "0,1", "1,0", "1,1"}}
	second := first
	second.Part = &devenv.Part{Shape: "2x4", Hosts: []string{"node-1", "node-2"}, Host: 1, Chips: []string{"0,2", "0,3", "1,2", "1,3"}}
	g.Expect(second.VariableName()).To(Equal(first.VariableName()))
	for _, device := range []devenv.Device{first, second} {
		variable, err := device.Variable()
		g.Expect(err).NotTo(HaveOccurred())
		devices, errs := devenv.Parse([]string{variable})
		g.Expect(errs).To(BeEmpty())
		g.Expect(devices).To(Equal([]devenv.Device{device}))
	}
}

// Two allocation results never have the same variable name. Each change results
// in another name, even if the concatenated fields would be equal.
func TestVariableNamesAreUnique(t *testing.T) {
	g := NewWithT(t)
	change := func(f func(*devenv.Device)) devenv.Device {
		d := partition
		f(&d)
		return d
	}
	names := map[string]devenv.Device{}
	for _, device := range []devenv.Device{
		partition,
		change(func(d *devenv.Device) { d.Driver = "mig2.example.com" }),
		change(func(d *devenv.Device) { d.Pool = "node-2" }),
		change(func(d *devenv.Device) { d.Device = "gpu-0-mig-1g-5gb-4" }),
		change(func(d *devenv.Device) { d.Device = "gpu-0-mig-1g-5gb.3" }),
		change(func(d *devenv.Device) { d.ClaimUID = "a-b-d" }),
		change(func(d *devenv.Device) { d.Request = "gpu/large" }),
		change(func(d *devenv.Device) { d.ShareID = "share" }),
		change(func(d *devenv.Device) { d.ClaimUID, d.Request = "a-b", "-cgpu/small" }),
	} {
		name := device.VariableName()
		g.Expect(name).To(MatchRegexp(`^[A-Z0-9_]+$`))
		g.Expect(names).NotTo(HaveKey(name), "%v and %v share a variable", device, names[name])
		names[name] = device
	}
}

func TestParseReportsInvalidVariables(t *testing.T) {
	g := NewWithT(t)
	value, err := json.Marshal(partition)
	g.Expect(err).NotTo(HaveOccurred())
	devices, errs := devenv.Parse([]string{
		"DRACONFORM_DEVICE_A=" + string(value),
		"DRACONFORM_DEVICE_B=",
		"DRACONFORM_DEVICE_C={",
		`DRACONFORM_DEVICE_D={"driver":"x"}`,
		`DRACONFORM_DEVICE_E={"colour":"green"}`,
		"DRACONFORM_DEVICE_F=" + string(value) + "x",
	})
	g.Expect(devices).To(Equal([]devenv.Device{partition}))
	g.Expect(errs).To(HaveExactElements(
		MatchError(ContainSubstring("variable DRACONFORM_DEVICE_B: ")),
		MatchError(ContainSubstring("variable DRACONFORM_DEVICE_C: ")),
		MatchError(ContainSubstring(`variable DRACONFORM_DEVICE_D: decode device: "pool" is missing`)),
		MatchError(ContainSubstring(`variable DRACONFORM_DEVICE_E: decode device: json: unknown field "colour"`)),
		MatchError(ContainSubstring("variable DRACONFORM_DEVICE_F: decode device: data after")),
	))
}

func TestConfigsArePassedOn(t *testing.T) {
	g := NewWithT(t)
	configured := partition
	configured.Configs = []devenv.Config{
		{Source: "FromClass", Parameters: json.RawMessage(`{"sharing":"timeSlicing","big":12345678901234567890}`)},
		{Source: "FromClaim", Parameters: json.RawMessage(`"<text>"`)},
	}
	variable, err := configured.Variable()
	g.Expect(err).NotTo(HaveOccurred())
	devices, errs := devenv.Parse([]string{variable})
	g.Expect(errs).To(BeEmpty())
	g.Expect(devices).To(HaveLen(1))
	for i, config := range devices[0].Configs {
		g.Expect(config.Source).To(Equal(configured.Configs[i].Source))
		g.Expect(config.Parameters).To(MatchJSON(configured.Configs[i].Parameters))
	}
	g.Expect(string(devices[0].Configs[0].Parameters)).To(ContainSubstring("12345678901234567890"), "large numbers keep all digits")
}

func TestVariableIsLimitedInLength(t *testing.T) {
	g := NewWithT(t)
	large := partition
	text, err := json.Marshal(strings.Repeat("x", 128<<10))
	g.Expect(err).NotTo(HaveOccurred())
	large.Configs = []devenv.Config{{Source: "FromClaim", Parameters: text}}
	_, err = large.Variable()
	g.Expect(err).To(MatchError(MatchRegexp(`device gpu-0-mig-1g-5gb-3: its configuration results in an environment variable of \d+ bytes, at most 131071`)))
}
