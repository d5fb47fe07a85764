// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package affinity_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/allocator/internal/affinity"
)

const subnet, pkey = "networking.example.com/subnet", "networking.example.com/pkey"

func opaque(driver, parameters string) *resourceapi.DeviceConfiguration {
	return &resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: driver, Parameters: runtime.RawExtension{Raw: []byte(parameters)},
	}}
}

// states returns a configuration with some attributes.
func states(attributes string) *resourceapi.DeviceConfiguration {
	return opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":{`+attributes+`}}`)
}

func text(key, value string) string { return fmt.Sprintf("%q:{\"string\":%q}", key, value) }

func entryOf(config ...*resourceapi.DeviceConfiguration) (entry *affinity.Entry) {
	for _, c := range config {
		entry = entry.Add(c)
	}
	return entry
}

func many(n int) string {
	var all []string
	for i := range n {
		all = append(all, text(fmt.Sprintf("example.com/key%d", i), "v"))
	}
	return strings.Join(all, ",")
}

// The rules of the KEP for the entry of a claim, for a device that declares a subnet.
func TestEntryOfAClaim(t *testing.T) {
	type list = []*resourceapi.DeviceConfiguration
	a, private := states(text(subnet, "a")), opaque("networking.example.com", `{"vlanId":100}`)
	for name, test := range map[string]struct {
		config  list
		kind    affinity.Kind
		message string
	}{
		"one":                              {list{a}, affinity.None, ""},
		"one and those of drivers":         {list{private, a, private}, affinity.None, ""},
		"more keys":                        {list{states(text(subnet, "a") + "," + text(pkey, "1"))}, affinity.None, ""},
		"more keys of other types":         {list{states(text(subnet, "a") + `,"example.com/vlan":{"int":100}`)}, affinity.None, ""},
		"an empty string":                  {list{states(text(subnet, ""))}, affinity.None, ""},
		"as many attributes as can be":     {list{states(text(subnet, "a") + "," + many(7))}, affinity.None, ""},
		"nothing":                          {nil, affinity.MissingEntry, "missing required structured parameters for request nic"},
		"only that of a driver":            {list{private}, affinity.MissingEntry, "missing required structured parameters for request nic"},
		"the right kind for a driver":      {list{opaque("networking.example.com", string(a.Opaque.Parameters.Raw))}, affinity.MissingEntry, "missing required structured"},
		"another kind":                     {list{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"Other"}`)}, affinity.MissingEntry, "missing required structured"},
		"a kind in another case":           {list{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","Kind":"StructuredParameters","attributes":{`+text(subnet, "a")+`}}`)}, affinity.MissingEntry, "missing required structured"},
		"another version":                  {list{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1","kind":"StructuredParameters"}`)}, affinity.MissingEntry, "missing required structured"},
		"another kind and the right one":   {list{opaque("resource.k8s.io", `{"kind":"Other"}`), a}, affinity.None, ""},
		"two":                              {list{a, states("")}, affinity.Duplicate, "duplicate recognized StructuredParameters entries for request nic"},
		"two that are equal":               {list{a, a}, affinity.Duplicate, "duplicate recognized StructuredParameters entries for request nic"},
		"without the key":                  {list{states(text(pkey, "1"))}, affinity.MissingKey, "missing required key " + subnet + " in structured parameters for request nic"},
		"without attributes":               {list{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters"}`)}, affinity.MissingKey, "missing required key"},
		"an integer":                       {list{states(`"` + subnet + `":{"int":1}`)}, affinity.NonString, "required key " + subnet + " has a non-string value in alpha"},
		"a boolean":                        {list{states(`"` + subnet + `":{"bool":true}`)}, affinity.NonString, "non-string"},
		"a version for a string":           {list{states(`"` + subnet + `":{"version":"1.0.0"}`)}, affinity.NonString, "non-string"},
		"a string and an integer":          {list{states(`"` + subnet + `":{"string":"a","int":1}`)}, affinity.NonString, "non-string"},
		"no value":                         {list{states(`"` + subnet + `":{}`)}, affinity.NonString, "non-string"},
		"no JSON":                          {list{opaque("resource.k8s.io", `{`)}, affinity.Malformed, "invalid structured parameters for request nic: decode parameters"},
		"no object":                        {list{opaque("resource.k8s.io", `"text"`)}, affinity.Malformed, "invalid structured parameters"},
		"no parameters":                    {list{opaque("resource.k8s.io", "")}, affinity.Malformed, "invalid structured parameters"},
		"a value that is no attribute":     {list{states(`"` + subnet + `":"a"`)}, affinity.Malformed, "decode StructuredParameters"},
		"a list of attributes":             {list{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":[]}`)}, affinity.Malformed, "decode StructuredParameters"},
		"an unknown field":                 {list{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","colour":1}`)}, affinity.Malformed, `unknown field "colour"`},
		"a field in another case":          {list{states(`"` + subnet + `":{"String":"a"}`)}, affinity.Malformed, `unknown field "attributes`},
		"a key twice":                      {list{states(text(subnet, "a") + "," + text(subnet, "b"))}, affinity.Malformed, "duplicate field"},
		"too many attributes":              {list{states(text(subnet, "a") + "," + many(8))}, affinity.Malformed, "has 9 attributes, at most 8 are allowed"},
		"another one that cannot be read":  {list{a, opaque("resource.k8s.io", `{`)}, affinity.Malformed, "decode parameters"},
		"configuration that is not opaque": {list{{}}, affinity.MissingEntry, "missing required structured"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			values, problem := entryOf(test.config...).Values([]string{subnet})
			g.Expect(problem.Kind).To(Equal(test.kind), problem.Text("nic", "device"))
			if test.kind == affinity.None {
				g.Expect(values).To(HaveLen(1))
				g.Expect(problem.Text("nic", "device")).To(BeEmpty())
				return
			}
			g.Expect(problem.Text("nic", "device")).To(ContainSubstring(test.message))
		})
	}
}

// Only the keys that the device declares are compared.
func TestValuesAreThoseOfTheKeys(t *testing.T) {
	g := NewWithT(t)
	entry := entryOf(states(text(subnet, "a") + "," + text(pkey, "0x8001") + "," + text("example.com/vlan", "100")))
	values, problem := entry.Values([]string{pkey, subnet})
	g.Expect(problem).To(BeZero())
	g.Expect(values).To(Equal([]string{"0x8001", "a"}))
}
