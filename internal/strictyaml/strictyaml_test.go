// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package strictyaml_test

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/internal/strictyaml"
)

type colour string

func (colour) Values() []string { return []string{"red", "no"} }

type embedded struct {
	Path string `json:"path,omitempty"`
}

type inner struct {
	embedded
	Name  string `json:"name"`
	Count int64  `json:"count,omitempty"`
}

type document struct {
	Kind        string                       `json:"kind,omitempty"`
	On          bool                         `json:"on,omitempty"`
	Colour      colour                       `json:"colour,omitempty"`
	Inner       *inner                       `json:"inner,omitempty"`
	Items       []inner                      `json:"items,omitempty"`
	Labels      map[string]string            `json:"labels,omitempty"`
	Amounts     map[string]resource.Quantity `json:"amounts,omitempty"`
	Parameters  runtime.RawExtension         `json:"parameters,omitzero"`
	Tolerations []corev1.Toleration          `json:"tolerations,omitempty"`
	hidden      int
}

func parse(t *testing.T, file, content string) []*strictyaml.Document {
	t.Helper()
	documents, err := strictyaml.Parse(file, []byte(content))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return documents
}

func TestDecode(t *testing.T) {
	g := NewWithT(t)
	documents := parse(t, "", `# A comment is no document.
---
kind: K
on: true
colour: no
inner: {name: a, path: /dev}
items:
- {name: b, count: 2}
labels: {example.com/a: "1"}
amounts: {memory: 1Gi, slots: 1, half: 0.5}
parameters: {b: 12345678901234567890, a: [1, "x", null, true, 2024-01-01]}
tolerations: [{key: k, operator: Exists, tolerationSeconds: 5}]
---
`)
	g.Expect(documents).To(HaveLen(1))
	g.Expect(documents[0].Field("kind")).To(Equal("K"))
	g.Expect(documents[0].Field("inner")).To(BeEmpty())
	var got document
	g.Expect(documents[0].Decode(&got)).To(Succeed())
	g.Expect(got).To(Equal(document{
		Kind: "K", On: true, Colour: "no", Inner: &inner{embedded: embedded{"/dev"}, Name: "a"}, Items: []inner{{Name: "b", Count: 2}},
		Labels:  map[string]string{"example.com/a": "1"},
		Amounts: map[string]resource.Quantity{"memory": resource.MustParse("1Gi"), "slots": resource.MustParse("1"), "half": resource.MustParse("0.5")},
		// The order and the digits do not change.
		Parameters:  runtime.RawExtension{Raw: []byte(`{"b":12345678901234567890,"a":[1,"x",null,true,"2024-01-01"]}`)},
		Tolerations: []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists, TolerationSeconds: ptr.To[int64](5)}},
		hidden:      0,
	}))
}

func TestProblems(t *testing.T) {
	for content, want := range map[string]string{
		"colours: red":                   `line 1: unknown field "colours", did you mean "colour"?`,
		"inner:\n  name: a\n  paths: x":  `line 3: unknown field "paths" of inner, did you mean "path"?`,
		"items:\n- name: a\n- nam: b":    `line 3: unknown field "nam" of items[1], did you mean "name"?`,
		"inner: {name: a, quantity: x}":  `line 1: unknown field "quantity" of inner, use one of count, name, path`,
		"inner: {}":                      `line 1: inner: "name" is missing`,
		"kind: a\non: true\nkind: b":     `line 3: "kind" is already set in line 1`,
		"labels: {a: b, a: c}":           `line 1: labels: "a" is already set in line 1`,
		"parameters: {a: {b: 1, b: 2}}":  `line 1: parameters.a: "b" is already set in line 1`,
		"kind:\n":                        "line 1: kind: has no value",
		"labels: {a: }":                  "line 1: labels[a]: has no value",
		"kind: 1.10":                     "line 1: kind: expected a string, found 1.10: put it in quotes",
		"kind: [a]":                      "line 1: kind: expected a string, found a list",
		"on: yes":                        `line 1: on: expected true or false, found "yes"`,
		"colour: green":                  `line 1: colour: "green" is not known, use one of red, no`,
		"items: {name: a}":               "line 1: items: expected a list, found fields",
		"items: [a]":                     `line 1: items[0]: expected fields, found "a"`,
		"items: [{name: a, count: 1.5}]": `line 1: items[0].count: expected a number, found "1.5"`,
		"items: [{name: a, count: 1" + "0000000000000000000}]": `line 1: items[0].count: expected a number, found`,
		"amounts: {a: many}":            `line 1: amounts[a]: read "many": quantities must match`,
		"parameters: {a: .inf}":         "line 1: parameters.a: .inf cannot be written as JSON",
		"kind: &k a\ninner: {name: *k}": "line 2: inner.name: aliases are not supported, repeat the value",
		"parameters: {a: &a 1, b: *a}":  "line 1: parameters.b: aliases are not supported, repeat the value",
		"? [a]\n: b":                    "line 1: expected the name of a field, found a list",
		"[a]":                           "line 1: expected fields, found a list",
		"tolerations: [{keys: a}]":      `line 1: unknown field "keys" of tolerations[0], did you mean "key"?`,
	} {
		t.Run(content, func(t *testing.T) {
			g := NewWithT(t)
			var into document
			g.Expect(parse(t, "", content)[0].Decode(&into)).To(MatchError(HavePrefix(want)))
			g.Expect(parse(t, "a.yaml", content)[0].Decode(&into)).To(MatchError(HavePrefix("a.yaml, " + want)))
		})
	}
}

func TestAllProblemsAreReported(t *testing.T) {
	var into document
	err := parse(t, "", "on: maybe\ncolour: green\ninner: {nam: x}")[0].Decode(&into)
	NewWithT(t).Expect(err).To(MatchError(`line 1: on: expected true or false, found "maybe"
line 2: colour: "green" is not known, use one of red, no
line 3: unknown field "nam" of inner, did you mean "name"?`))
}

func TestInvalidYAML(t *testing.T) {
	g := NewWithT(t)
	_, err := strictyaml.Parse("a.yaml", []byte("a: b\n  c: d"))
	g.Expect(err).To(MatchError(MatchRegexp(`^a.yaml: yaml: line \d: mapping values are not allowed in this context`)))
	_, err = strictyaml.Parse("", []byte("a: [b"))
	g.Expect(err).To(MatchError(HavePrefix("yaml: line 1: ")))
}

func TestDecodeLenient(t *testing.T) {
	g := NewWithT(t)
	content := "kind: 1.10\non: yes\ninner: &i\n  count: 1\ncolour:\nitems: [*i]\namounts: {b: .5}\n"
	var got document
	g.Expect(parse(t, "", content)[0].DecodeLenient(&got)).To(Succeed())
	want := inner{Count: 1}
	g.Expect(got).To(Equal(document{
		Kind: "1.10", On: true, Inner: &want, Items: []inner{want}, Amounts: map[string]resource.Quantity{"b": resource.MustParse(".5")},
	}))
	g.Expect(parse(t, "", content)[0].Decode(&got)).To(MatchError(And(
		ContainSubstring("line 1: kind: expected a string, found 1.10: put it in quotes"),
		ContainSubstring("line 2: on: expected true or false"),
		ContainSubstring(`line 3: inner: "name" is missing`),
		ContainSubstring("line 5: colour: has no value"),
		ContainSubstring("line 6: items[0]: aliases are not supported"),
	)))
	g.Expect(parse(t, "", "on: maybe\nkinds: a")[0].DecodeLenient(&got)).To(MatchError(
		"line 1: on: expected true or false, found \"maybe\"\nline 2: unknown field \"kinds\", did you mean \"kind\"?"))
}

func TestLinesAndOrder(t *testing.T) {
	g := NewWithT(t)
	type located struct {
		strictyaml.Position
		Name string `json:"name"`
	}
	var got struct {
		Items []located                   `json:"items"`
		Named strictyaml.Mapping[located] `json:"named"`
	}
	d := parse(t, "", "items:\n- {name: a}\n- name: b\nnamed:\n  z:\n    name: c\n  y: {name: d}\n")[0]
	g.Expect(d.Decode(&got)).To(Succeed())
	at := func(line int, name string) located { return located{strictyaml.Position{Line: line}, name} }
	g.Expect(got.Items).To(Equal([]located{at(2, "a"), at(3, "b")}))
	g.Expect(got.Named).To(Equal(strictyaml.Mapping[located]{{"z", 5, at(6, "c")}, {"y", 7, at(7, "d")}}))
	g.Expect(parse(t, "", "items: []\nnamed: {a: {name: b}, a: {name: c}}")[0].Decode(&got)).To(MatchError(`line 2: named: "a" is already set in line 2`))
}

// Problems that are found after decoding have the line of the field, or of the
// closest field around it.
func TestPositions(t *testing.T) {
	g := NewWithT(t)
	content := "kind: a\nlabels:\n  example.com/a: b\nitems:\n- name: a\n- name: b\n  count: 1\n"
	d := parse(t, "a.yaml", content)[0]
	var into document
	g.Expect(d.Decode(&into)).To(Succeed())
	for path, line := range map[string]string{
		"kind": "1", "labels[example.com/a]": "3", "labels[example.com/b]": "2", "items[1]": "6", "items[1].count": "7", "items[1].path": "6", "items[2].name": "4", "inner.name": "1", "": "1",
	} {
		g.Expect(d.Position(path)).To(Equal("a.yaml, line "+line), path)
	}
	g.Expect(d.Errorf("items[1].path", "is %d", 1)).To(MatchError("a.yaml, line 6: items[1].path: is 1"))
	g.Expect(parse(t, "", content)[0].Position("kind")).To(BeEmpty())
}
