// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/internal/rules"
)

const (
	subnet = "networking.example.com/subnet"
	pkey   = "networking.example.com/pkey"
)

func TestParseAffinity(t *testing.T) {
	g := NewWithT(t)
	declared, err := rules.ParseAffinity(`{"mlx5-0": {"attributeKeys": ["` + subnet + `", "` + pkey + `"]}, "mlx5-1": {"attributeKeys": ["` + subnet + `"]}}`)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(declared).To(Equal(map[string]rules.AffinityDeclaration{
		"mlx5-0": {AttributeKeys: []string{subnet, pkey}}, "mlx5-1": {AttributeKeys: []string{subnet}},
	}))
}

func TestParseAffinityRejects(t *testing.T) {
	keys := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"x/key%d"`, i))
		}
		return `{"nic":{"attributeKeys":[` + strings.Join(all, ",") + `]}}`
	}
	for name, test := range map[string]struct{ value, message string }{
		"no JSON":           {`{`, "decode annotation draconform.dev/sharing-affinity"},
		"an unknown field":  {`{"nic":{"parameterKeys":["x/a"]}}`, `unknown field "nic.parameterKeys"`},
		"YAML":              {"nic: {}", "invalid character"},
		"another case":      {`{"nic":{"AttributeKeys":["x/a"]}}`, `unknown field "nic.AttributeKeys"`},
		"no keys":           {`{"nic":{}}`, "device nic: attributeKeys is empty"},
		"too many keys":     {keys(9), "attributeKeys has 9 keys, at most 8 are allowed"},
		"a key twice":       {`{"nic":{"attributeKeys":["x/a","x/a"]}}`, `key "x/a" is listed twice`},
		"no qualified name": {`{"nic":{"attributeKeys":["a"]}}`, `key "a" is no fully qualified name`},
		"no domain":         {`{"nic":{"attributeKeys":["X_/a"]}}`, "is no fully qualified name"},
		"no identifier":     {`{"nic":{"attributeKeys":["x/a-b"]}}`, "is no fully qualified name"},
		"a long domain":     {`{"nic":{"attributeKeys":["` + strings.Repeat("x", 64) + `/a"]}}`, "has 64 characters in its domain, at most 63 are allowed"},
		"a long name":       {`{"nic":{"attributeKeys":["x/` + strings.Repeat("a", 33) + `"]}}`, "has 33 characters in its name, at most 32 are allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := rules.ParseAffinity(test.value)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
	_, err := rules.ParseAffinity(keys(8))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}

func TestSharingAffinityOfASlice(t *testing.T) {
	g := NewWithT(t)
	slice := &resourceapi.ResourceSlice{}
	g.Expect(rules.SharingAffinity(slice)).To(BeNil(), "without the annotation")
	slice.Annotations = map[string]string{rules.AffinityAnnotation: `{"nic":{"attributeKeys":["x/a"]}}`}
	g.Expect(rules.SharingAffinity(slice)).To(HaveKey("nic"))
	slice.Annotations[rules.AffinityAnnotation] = ""
	_, err := rules.SharingAffinity(slice)
	g.Expect(err).To(HaveOccurred(), "with an empty annotation")
}

func TestAgree(t *testing.T) {
	states := func(attributes ...string) rules.Statement {
		var configs []config
		for _, a := range attributes {
			configs = append(configs, entry(a))
		}
		return rules.StatementOf(configs, "nic")
	}
	a, b := text(subnet, "a"), text(subnet, "b")
	for name, test := range map[string]struct {
		holders []rules.Statement
		message string
	}{
		"no holders":                 {nil, ""},
		"one value":                  {[]rules.Statement{states(a), states(a + "," + text(pkey, "1"))}, ""},
		"two values":                 {[]rules.Statement{states(a), states(b)}, subnet + " is [a b]"},
		"a claim without an entry":   {[]rules.Statement{states(a), states()}, "a claim states no string for " + subnet + ": no StructuredParameters entry targets the request"},
		"a claim with two entries":   {[]rules.Statement{states(a, a)}, "several StructuredParameters entries"},
		"a claim with another value": {[]rules.Statement{states(`"` + subnet + `":{"int":1}`)}, "is no string"},
	} {
		t.Run(name, func(t *testing.T) {
			err := rules.AffinityDeclaration{AttributeKeys: []string{subnet}}.Agree(test.holders)
			if test.message == "" {
				NewWithT(t).Expect(err).NotTo(HaveOccurred())
				return
			}
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
}
