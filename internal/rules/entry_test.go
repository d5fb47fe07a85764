// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/internal/rules"
)

const own = "nic.example.com"

type config = resourceapi.DeviceAllocationConfiguration

// opaque returns a configuration with the given parameters.
func opaque(driver, parameters string, requests ...string) config {
	return config{
		Source:   resourceapi.AllocationConfigSourceClaim,
		Requests: requests,
		DeviceConfiguration: resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
			Driver: driver, Parameters: runtime.RawExtension{Raw: []byte(parameters)},
		}},
	}
}

// entry returns a StructuredParameters entry with the given attributes.
func entry(attributes string, requests ...string) config {
	return opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":{`+attributes+`}}`, requests...)
}

func text(key, value string) string { return fmt.Sprintf("%q:{\"string\":%q}", key, value) }

// The cases cover each rule of the KEP for the entry of a claim.
func TestEntry(t *testing.T) {
	a := text(subnet, "a")
	for _, test := range []struct {
		name    string
		config  []config
		values  map[string]string
		message string // Error for a device that declares subnet.
	}{
		{"one for the request", []config{entry(a, "nic")}, map[string]string{subnet: "a"}, ""},
		{"one for all requests", []config{entry(a)}, map[string]string{subnet: "a"}, ""},
		{"one for the subrequest", []config{entry(a, "nic/fast")}, map[string]string{subnet: "a"}, ""},
		{"none", nil, nil, "no StructuredParameters entry targets the request"},
		{"one for another request", []config{entry(a, "other")}, nil, "no StructuredParameters entry"},
		{"one for another subrequest", []config{entry(a, "nic/slow")}, nil, "no StructuredParameters entry"},
		{"another driver", []config{opaque(own, `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters"}`)}, nil, "no StructuredParameters entry"},
		{"another kind", []config{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"Other"}`)}, nil, "no StructuredParameters entry"},
		{"another version", []config{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1","kind":"StructuredParameters"}`)}, nil, "no StructuredParameters entry"},
		{"two", []config{entry(a, "nic"), entry(a, "nic/fast")}, nil, "several StructuredParameters entries for request nic/fast"},
		{"one for the request and one for all", []config{entry(a, "nic"), entry(a)}, nil, "several StructuredParameters entries"},
		{"with other entries", []config{opaque(own, `{"vlanId":100}`), entry(a, "nic"), opaque(own, `"text"`, "nic"), entry(a, "other")}, map[string]string{subnet: "a"}, ""},
		{"with more keys", []config{entry(a + "," + text("x/vlan", "100"))}, map[string]string{subnet: "a", "x/vlan": "100"}, ""},
		{"with another key of another type", []config{entry(a + `,"x/vlan":{"int":100}`)}, map[string]string{subnet: "a"}, ""},
		{"without the key", []config{entry(text(pkey, "1"))}, nil, "key " + subnet + " is missing"},
		{"without attributes", []config{entry("")}, nil, "is missing"},
		{"an integer", []config{entry(`"` + subnet + `":{"int":1}`)}, nil, "the value of key " + subnet + " is no string"},
		{"a version", []config{entry(`"` + subnet + `":{"version":"1.0.0"}`)}, nil, "is no string"},
		{"a string and an integer", []config{entry(`"` + subnet + `":{"string":"a","int":1}`)}, nil, "is no string"},
		{"nothing as value", []config{entry(`"` + subnet + `":{}`)}, nil, "is no string"},
		{"no object", []config{opaque("resource.k8s.io", `"text"`)}, nil, "StructuredParameters entry for request nic/fast: decode"},
		{"no JSON", []config{opaque("resource.k8s.io", `{`)}, nil, "decode"},
		{"an unknown field", []config{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","colour":1}`)}, nil, `unknown field "colour"`},
		{"a field twice", []config{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":{},"attributes":{}}`)}, nil, "duplicate field"},
		{"a kind that is no string", []config{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":1}`)}, nil, "decode parameters"},
		{"a name in another case", []config{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","Kind":"StructuredParameters"}`)}, nil, "no StructuredParameters entry"},
		{"no attributes", []config{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters"}`)}, nil, "is missing"},
		{"attributes that are a list", []config{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":[]}`)}, nil, "decode"},
		{"too many attributes", []config{entry(manyAttributes(9))}, nil, "has 9 attributes, at most 8 are allowed"},
		{"as many attributes as there may be", []config{entry(a + "," + manyAttributes(7))}, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			found, err := rules.FindEntry(test.config, "nic/fast")
			if err == nil {
				_, err = found.Value(subnet)
			}
			if test.message != "" {
				g.Expect(err).To(MatchError(ContainSubstring(test.message)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			if test.values != nil {
				g.Expect(found.Strings()).To(Equal(test.values))
			}
		})
	}
}

func manyAttributes(n int) string {
	var all []string
	for i := range n {
		all = append(all, text(fmt.Sprintf("x/key%d", i), "v"))
	}
	return strings.Join(all, ",")
}
