package model

import (
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
)

func TestLoad(t *testing.T) {
	g := NewWithT(t)
	g.Expect(Names()).To(Equal(slices.Sorted(maps.Keys(tables))), "a model without a table nobody checks")
	for _, name := range Names() {
		gpu, err := Load(name)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(gpu.Inventory("node-1", 8).Validate()).To(Succeed())
	}
	_, err := Load("abacus")
	g.Expect(err).To(MatchError(And(ContainSubstring(`"abacus"`), ContainSubstring("a100-40gb"))))
}

func TestParseRefuses(t *testing.T) {
	const gpu = "- {name: gpu-0, composite: {attributes: {type: {string: gpu}}, capacity: {memory: {quantity: 2Gi}}}}\n"
	const part = "composite: {attributes: {type: {string: mig}}, capacity: {memory: {quantity: 1Gi}}, consumesCapacityFrom: [{name: gpu-0}]}"
	for _, test := range []struct{ name, devices, message string }{
		{"what is no description", "- {name: gpu-0}\n", `line 2: device "gpu-0"`},
		{"a GPU that has no partitions", gpu, "must describe one GPU, gpu-0, and its partitions"},
		{
			"a GPU that is not the first",
			"- {name: gpu-1, composite: {capacity: {memory: {quantity: 2Gi}}}}\n" +
				"- {name: gpu-1-a, composite: {capacity: {memory: {quantity: 1Gi}}, consumesCapacityFrom: [{name: gpu-1}]}}\n",
			"must describe one GPU, gpu-0, and its partitions",
		},
		{"a partition with another name", gpu + "- {name: mig-0, " + part + "}\n", `device "mig-0": its name must begin with "gpu-0-"`},
		{
			"a device without a type",
			gpu + "- {name: gpu-0-a, composite: {capacity: {memory: {quantity: 1Gi}}, consumesCapacityFrom: [{name: gpu-0}]}}\n",
			`device "gpu-0-a": attribute "type" must be "gpu" or "mig"`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse([]byte("devices:\n" + test.devices))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
}
