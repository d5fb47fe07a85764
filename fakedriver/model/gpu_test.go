package model

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestLoad(t *testing.T) {
	g := NewWithT(t)
	for _, name := range Names() {
		gpu, err := Load(name)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(gpu.Name).To(Equal(name))
	}
	_, err := Load("abacus")
	g.Expect(err).To(MatchError(And(ContainSubstring(`"abacus"`), ContainSubstring("a100-40gb"))))
}

func TestParseRefuses(t *testing.T) {
	const head = "name: x\nproductName: X\nmemorySlices: 2\n"
	const counters = "counters: {memory: 2Gi, multiprocessors: 2}\n"
	for _, test := range []struct{ name, document, message string }{
		{"an unknown field", head + counters + "colour: green\n", "colour"},
		{"a GPU without memory", head + "counters: {multiprocessors: 2}\n", `counter "memory" is missing`},
		{
			"a profile without a counter",
			head + counters + "profiles: [{name: p, memorySlices: 1, placements: [0], counters: {memory: 1Gi}}]\n",
			`profile "p": counter "multiprocessors" is missing`,
		},
		{
			"a profile with a counter of its own",
			head + counters + "profiles: [{name: p, memorySlices: 1, placements: [0], counters: {memory: 1Gi, multiprocessors: 1, fans: 1}}]\n",
			"has 3 counters, the GPU has 2",
		},
		{
			"a profile larger than the GPU",
			head + counters + "profiles: [{name: p, memorySlices: 1, placements: [0], counters: {memory: 3Gi, multiprocessors: 1}}]\n",
			`counter "memory": takes 3Gi of 2Gi`,
		},
		{
			"a placement beyond the last memory slice",
			head + counters + "profiles: [{name: p, memorySlices: 2, placements: [1], counters: {memory: 1Gi, multiprocessors: 1}}]\n",
			"placement 1: 2 memory slices from there do not fit into 2",
		},
		{
			"a placement twice",
			head + counters + "profiles: [{name: p, memorySlices: 1, placements: [1, 1], counters: {memory: 1Gi, multiprocessors: 1}}]\n",
			"placement 1: listed twice",
		},
		{
			"a profile without placements",
			head + counters + "profiles: [{name: p, memorySlices: 1, counters: {memory: 1Gi, multiprocessors: 1}}]\n",
			"at least one memory slice and one placement",
		},
		{
			"a profile twice",
			head + counters + "profiles: [&p {name: p, memorySlices: 1, placements: [1], counters: {memory: 1Gi, multiprocessors: 1}}, *p]\n",
			`profile "p": listed twice`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := parse([]byte(test.document))
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
}
