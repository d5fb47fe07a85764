// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology_test

import (
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/fakedriver/topology"
)

const valid = `name: test
grid: 4x4
hosts:
  chips: 2x2
  label: example.com/host
slices:
- shape: 2x2
- shape: 4x4
`

func TestErrorsInDescriptions(t *testing.T) {
	for _, test := range []struct {
		name     string
		old, new string // replacement in the valid description
		message  string
	}{
		{"unknown field", "  chips: 2x2", "  chip: 2x2", "line 4: field chip not found"},
		{"field twice", "grid: 4x4", "grid: 4x4\ngrid: 4x4", `line 3: mapping key "grid" already defined at line 2`},
		{"more documents", "name: test", "{}\n---\nname: test", "more than one YAML document"},
		{"empty", valid, "", "decode: EOF"},
		{"no name", "name: test\n", "", `name ""`},
		{"bad name", "name: test", "name: Test_1", `line 1: name "Test_1": a lowercase RFC 1123 label`},
		{"no grid", "grid: 4x4\n", "", "grid is missing"},
		{"bad size", "grid: 4x4", "grid: 4*4", `line 2: "4*4" is not a size like 4x8`},
		{"size of zero", "grid: 4x4", "grid: 4x0", `line 2: "4x0" is not a size`},
		{"too many dimensions", "grid: 4x4", "grid: 2x2x2x2", "line 2: grid 2x2x2x2: has more than 3 dimensions"},
		{"too many chips", "grid: 4x4", "grid: 64x65", "line 2: grid 64x65: has more than 4096 chips"},
		{"absurdly many chips", "grid: 4x4", "grid: 4294967296x4294967296", "has more than 4096 chips"},
		{"no chips of hosts", "  chips: 2x2\n", "", "hosts.chips is missing"},
		{"other dimensions", "  chips: 2x2", "  chips: 2x2x1", "line 4: hosts.chips 2x2x1: grid 4x4 has 2 dimensions"},
		{"hosts do not fill the grid", "  chips: 2x2", "  chips: 2x3", "line 4: hosts.chips 2x3: does not divide grid 4x4"},
		{"no label", "  label: example.com/host\n", "", `hosts.label ""`},
		{"bad label", "label: example.com/host", "label: example.com/", `line 5: hosts.label "example.com/"`},
		{"bad prefix", "label: example.com/host", "label: host\n  prefix: _", `line 6: hosts.prefix "_"`},
		{"no slices", "slices:\n- shape: 2x2\n- shape: 4x4\n", "", "slices are missing"},
		{"no shape", "- shape: 2x2", "- step: 2x2", "line 7: slices[0].shape is missing"},
		{"shape twice", "- shape: 4x4", "- shape: 2x2", "line 8: shape 2x2: listed twice"},
		{"shape with other dimensions", "- shape: 4x4", "- shape: 4", "line 8: shape 4: grid 4x4 has 2 dimensions"},
		{"shape too large", "- shape: 4x4", "- shape: 4x5", "line 8: shape 4x5: does not fit into grid 4x4"},
		{"step with other dimensions", "- shape: 4x4", "- shape: 4x4\n  step: 2", "line 9: step 2: grid 4x4 has 2 dimensions"},
		{"step and origins", "- shape: 4x4", "- shape: 4x4\n  step: 2x2\n  origins: [[0, 0]]", "line 9: shape 4x4: has both step and origins"},
		{"no origins", "- shape: 4x4", "- shape: 4x4\n  origins: []", "line 8: shape 4x4: has an empty list of origins"},
		{"origin outside", "- shape: 4x4", "- shape: 2x4\n  origins:\n  - [0, 0]\n  - [3, 0]", "line 11: origin [3,0]: shape 2x4 does not fit there into grid 4x4"},
		{"origin before the grid", "- shape: 4x4", "- shape: 2x4\n  origins: [[-1, 0]]", "line 9: origin [-1,0]: shape 2x4 does not fit"},
		{"origin twice", "- shape: 4x4", "- shape: 2x4\n  origins:\n  - [2, 0]\n  - [2, 0]", "line 11: origin [2,0]: listed twice"},
		{"origin with other dimensions", "- shape: 4x4", "- shape: 2x4\n  origins: [[0]]", "line 9: origin [0]: grid 4x4 has 2 dimensions"},
		{"origin in words", "- shape: 4x4", "- shape: 2x4\n  origins: [first]", "line 9: cannot unmarshal"},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			g.Expect(valid).To(ContainSubstring(test.old))
			_, err := topology.Parse([]byte(strings.Replace(valid, test.old, test.new, 1)))
			g.Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
	_, err := topology.Parse([]byte(valid))
	NewWithT(t).Expect(err).NotTo(HaveOccurred(), "the description without changes")
}

func TestUnknownTopology(t *testing.T) {
	_, err := topology.Load("9x9")
	NewWithT(t).Expect(err).To(MatchError(`unknown topology "9x9", use one of 4x4, 8x8`))
}

func TestEmbeddedTopologiesHaveTheNamesOfTheirFiles(t *testing.T) {
	for _, name := range topology.Names() {
		NewWithT(t).Expect(load(t, name).Name()).To(Equal(name))
	}
}
