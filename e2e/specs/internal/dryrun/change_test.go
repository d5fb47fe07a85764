// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package dryrun

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/yaml"
)

func TestChanges(t *testing.T) {
	const part = `{name: pool, generation: 1, devices: [{name: a}, {name: b}]}`
	for name, test := range map[string]struct{ change, want string }{
		"none":                    {`{}`, part},
		"a field":                 {`{set: {/name: other}}`, `{name: other, generation: 1, devices: [{name: a}, {name: b}]}`},
		"a field is removed":      {`{set: {/generation: null}}`, `{name: pool, devices: [{name: a}, {name: b}]}`},
		"a field is added":        {`{set: {/devices/1/count: 0}}`, `{name: pool, generation: 1, devices: [{name: a}, {name: b, count: 0}]}`},
		"an item is added":        {`{set: {/devices/2: {name: c}}}`, `{name: pool, generation: 1, devices: [{name: a}, {name: b}, {name: c}]}`},
		"two fields":              {`{set: {/name: other, /generation: 2}}`, `{name: other, generation: 2, devices: [{name: a}, {name: b}]}`},
		"the length of a text":    {`{bytes: 6, set: {/name: a-FILL}}`, `{name: a-xxxx, generation: 1, devices: [{name: a}, {name: b}]}`},
		"the length of an object": {`{bytes: 12, set: {/name: {a: FILL}}}`, `{name: {a: xxxx}, generation: 1, devices: [{name: a}, {name: b}]}`},
		"the items of a list":     {`{items: 3, set: {/devices: [{name: dNUMBER}]}}`, `{name: pool, generation: 1, devices: [{name: d0}, {name: d1}, {name: d2}]}`},
		"the items of an object":  {`{items: 2, set: {/name: {aNUMBER: 1}}}`, `{name: {a0: 1, a1: 1}, generation: 1, devices: [{name: a}, {name: b}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var c change
			var before, want map[string]any
			g.Expect(yaml.Unmarshal([]byte(test.change), &c)).To(Succeed())
			g.Expect(yaml.Unmarshal([]byte(part), &before)).To(Succeed())
			g.Expect(yaml.Unmarshal([]byte(test.want), &want)).To(Succeed())
			g.Expect(c.apply(before)).To(Equal(want))
			var unchanged map[string]any
			g.Expect(yaml.Unmarshal([]byte(part), &unchanged)).To(Succeed())
			g.Expect(before).To(Equal(unchanged), "the part itself does not change")
		})
	}
}

func TestChangesOfWhatThereIsNot(t *testing.T) {
	part := map[string]any{"name": "pool", "devices": []any{}}
	for path, problem := range map[string]string{
		"/devices/1": `a list of 0 items has no item "1"`, "/devices/first": `a list of 0 items has no item "first"`,
		"/name/of": `pool has no field "of"`, "/other/field": `<nil> has no field "field"`,
	} {
		_, err := change{Set: map[string]any{path: "new"}}.apply(part)
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(problem)), path)
	}
	_, err := change{Set: map[string]any{"/name": "new"}, Bytes: 10}.apply(part)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("cannot be made 10 bytes long")))
}

// Each change of the tables applies, and makes another object than the other changes of
// its table.
func TestTablesOfSpecs(t *testing.T) {
	files, err := filepath.Glob("../../*/data/*.yaml")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	tested := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		var all []table
		if !strings.Contains(string(content), "\n  changes:\n") {
			continue
		}
		tested++
		NewWithT(t).Expect(yaml.UnmarshalStrict(content, &all)).To(Succeed(), file)
		for _, of := range all {
			t.Run(filepath.Base(file)+"/"+of.Name, func(t *testing.T) {
				g := NewWithT(t)
				part := of.Spec
				if of.Status != nil {
					part = of.Status
				}
				seen := map[string]string{}
				for _, c := range append([]change{{Name: "itself"}}, of.Changes...) {
					changed, err := c.apply(part)
					g.Expect(err).NotTo(HaveOccurred(), c.Name)
					content, err := json.Marshal(changed)
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(seen).NotTo(HaveKey(string(content)), c.Name)
					seen[string(content)] = c.Name
				}
			})
		}
	}
	NewWithT(t).Expect(tested).NotTo(BeZero())
}
