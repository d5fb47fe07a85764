// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package model

import (
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

func TestLoad(t *testing.T) {
	g := NewWithT(t)
	checked := append(slices.Collect(maps.Keys(tables)), nic, nicAffinity, l4)
	g.Expect(Names()).To(ConsistOf(checked), "each model is compared with a table")
	for _, name := range Names() {
		g.Expect(load(t, name, 8).Validate()).To(Succeed())
	}
	g.Expect(slices.IsSorted(Names())).To(BeTrue(), "%v", Names())
	_, err := Load("abacus")
	g.Expect(err).To(MatchError(And(ContainSubstring(`"abacus"`), ContainSubstring("a100-40gb"))))
}

func TestParseErrors(t *testing.T) {
	const gpu = "- {name: gpu-0, composite: {attributes: {type: {string: gpu}}, capacity: {memory: {quantity: 2Gi}}}}\n"
	const part = "composite: {attributes: {type: {string: mig}}, capacity: {memory: {quantity: 1Gi}}, consumesCapacityFrom: [{name: gpu-0}]}"
	for _, test := range []struct{ name, devices, message string }{
		{"an invalid description", "- {name: gpu-0}\n", `line 2: device "gpu-0"`},
		{"a GPU that is not the first", "- {name: gpu-1, composite: {}}\n", "must describe one device, gpu-0 or nic-0, and its parts"},
		{"a device that is neither a GPU nor a NIC", "- {name: fpga-0, composite: {}}\n", "must describe one device, gpu-0 or nic-0, and its parts"},
		{"two GPUs", gpu + "- {name: gpu-0-b, composite: {attributes: {type: {string: gpu}}}}\n", `device "gpu-0-b": is not a part of gpu-0`},
		{
			"two GPUs with partitions",
			gpu + "- {name: gpu-0-a, " + part + "}\n- {name: gpu-0-b, composite: {capacity: {memory: {quantity: 2Gi}}}}\n" +
				"- {name: gpu-0-b-a, composite: {capacity: {memory: {quantity: 1Gi}}, consumesCapacityFrom: [{name: gpu-0-b}]}}\n",
			"must describe one device, gpu-0 or nic-0, and its parts",
		},
		{"a GPU and a NIC", gpu + "- {name: nic-0, composite: {attributes: {type: {string: nic}}}}\n", `device "nic-0": its name must begin with "gpu-0-"`},
		{"a GPU of the type nic", "- {name: gpu-0, composite: {attributes: {type: {string: nic}}}}\n", `device "gpu-0": attribute "type" must be "gpu", not "nic"`},
		{"a partition with another name", gpu + "- {name: mig-0, " + part + "}\n", `device "mig-0": its name must begin with "gpu-0-"`},
		{
			"a device without a type",
			gpu + "- {name: gpu-0-a, composite: {capacity: {memory: {quantity: 1Gi}}, consumesCapacityFrom: [{name: gpu-0}]}}\n",
			`device "gpu-0-a": attribute "type" must be "gpu", "mig" or "nic", not ""`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse([]byte("devices:\n" + test.devices))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
}
