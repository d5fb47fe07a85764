// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package affinity_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/internal/rules"
)

const (
	subnet = "networking.example.com/subnet"
	pkey   = "networking.example.com/pkey"
	own    = "nic.example.com"
)

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

func rule(declared bool, keys ...string) affinity.Rule {
	return affinity.Rule{Declaration: affinity.Declaration{AttributeKeys: keys}, Declared: declared}
}

// A declared rule demands a value for each key. The entry is decoded by package
// rules.
func TestAdmit(t *testing.T) {
	for name, test := range map[string]struct {
		config  []config
		message string
	}{
		"a value for the key": {[]config{entry(text(subnet, "a"), "nic")}, ""},
		"no entry":            {nil, "no StructuredParameters entry targets the request"},
		"another key":         {[]config{entry(text(pkey, "1"), "nic")}, "key " + subnet + " is missing"},
		"two entries":         {[]config{entry(""), entry("")}, "several StructuredParameters entries for request nic/fast"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			values, err := rule(true, subnet).Admit(test.config, "nic/fast")
			if test.message != "" {
				g.Expect(err).To(MatchError(ContainSubstring(test.message)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(values).To(Equal(map[string]string{subnet: "a"}))
		})
	}
}

// If the device declares nothing, a claim need not state any values. An entry
// must still be valid.
func TestEntryForADeviceWithoutADeclaration(t *testing.T) {
	g := NewWithT(t)
	values, err := rule(false, subnet).Admit(nil, "nic")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(values).To(BeEmpty())
	_, err = rule(false, subnet).Admit([]config{entry(""), entry("")}, "nic")
	g.Expect(err).To(MatchError(ContainSubstring("several")))
	values, err = affinity.Rule{}.Admit([]config{entry(""), entry("")}, "nic")
	g.Expect(err).NotTo(HaveOccurred(), "a device without a rule ignores entries")
	g.Expect(values).To(BeEmpty())
}

// The cases are the KEP's example with two keys, and its table of devices with
// legacy claims.
func TestMeet(t *testing.T) {
	type values = map[string]string
	lock := values{subnet: "a", pkey: "0x8001", "x/vlan": "100"}
	for _, test := range []struct {
		name         string
		declared     bool
		held, wanted values
		message      string
	}{
		{"the same values", true, lock, values{subnet: "a", pkey: "0x8001"}, ""},
		{"another value for another key", true, lock, values{subnet: "a", pkey: "0x8001", "x/vlan": "7"}, ""},
		{"another value for one key", true, lock, values{subnet: "a", pkey: "0x8002"}, `it has "0x8001" for key ` + pkey + `, not "0x8002"`},
		{"other values for all keys", true, lock, values{subnet: "b", pkey: "0x8002"}, `it has "a" for key ` + subnet},
		{"a legacy claim", true, nil, values{subnet: "a", pkey: "0x8001"}, "its value for key " + subnet + " is not known"},
		{"a claim that lacks a key", true, values{subnet: "a"}, values{subnet: "a", pkey: "1"}, "its value for key " + pkey + " is not known"},
		{"permissive, the same", false, lock, lock, ""},
		{"permissive, another value", false, lock, values{pkey: "0x8002"}, `it has "0x8001" for key ` + pkey},
		{"permissive, a claim that states nothing", false, lock, nil, ""},
		{"permissive, with a claim that states nothing", false, nil, lock, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			err := rule(test.declared, subnet, pkey).Meet(test.held, test.wanted)
			if test.message == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
}

func TestContradiction(t *testing.T) {
	values := map[string]string{subnet: "a"}
	for _, test := range []struct {
		name    string
		config  config
		message string
	}{
		{"another value", opaque(own, `{"attributes":{`+text(subnet, "b")+`}}`), `has "b" for key ` + subnet + `, the StructuredParameters entry has "a"`},
		{"the same value", opaque(own, `{"attributes":{`+text(subnet, "a")+`}}`), ""},
		{"another request", opaque(own, `{"attributes":{`+text(subnet, "b")+`}}`, "other"), ""},
		{"another driver", opaque("other.example.com", `{"attributes":{`+text(subnet, "b")+`}}`), ""},
		{"another setting", opaque(own, `{"vlanId":100}`), ""},
		{"no object", opaque(own, `"text"`), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			err := rule(true, subnet).Contradiction(own, []config{test.config}, "nic", values)
			if test.message == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
}

// A slice carries only the declarations of its own devices, and no annotation
// if none of them has a declaration.
func TestAnnotate(t *testing.T) {
	g := NewWithT(t)
	slice := &resourceapi.ResourceSlice{Spec: resourceapi.ResourceSliceSpec{Devices: []resourceapi.Device{{Name: "nic-0"}, {Name: "nic-1"}, {Name: "gpu-0"}}}}
	slice.Annotations = map[string]string{"other": "stays"}
	annotate := func(declared map[string]affinity.Declaration) bool {
		changed, err := affinity.Annotate(slice, declared)
		g.Expect(err).NotTo(HaveOccurred())
		return changed
	}
	declared := map[string]affinity.Declaration{
		"nic-1":     {AttributeKeys: []string{subnet}},
		"nic-0":     {AttributeKeys: []string{subnet, pkey}},
		"elsewhere": {AttributeKeys: []string{subnet}},
	}
	g.Expect(annotate(nil)).To(BeFalse())
	g.Expect(annotate(declared)).To(BeTrue())
	g.Expect(slice.Annotations).To(HaveKeyWithValue(affinity.Annotation,
		`{"nic-0":{"attributeKeys":["`+subnet+`","`+pkey+`"]},"nic-1":{"attributeKeys":["`+subnet+`"]}}`))
	parsed, err := rules.ParseAffinity(slice.Annotations[affinity.Annotation])
	g.Expect(err).NotTo(HaveOccurred())
	delete(declared, "elsewhere")
	g.Expect(parsed).To(Equal(declared))
	g.Expect(annotate(declared)).To(BeFalse(), "it is set already")

	slice.Annotations[affinity.Annotation] = "{}"
	g.Expect(annotate(declared)).To(BeTrue(), "it was changed")
	delete(declared, "nic-0")
	g.Expect(annotate(declared)).To(BeTrue())
	g.Expect(annotate(map[string]affinity.Declaration{"elsewhere": {AttributeKeys: []string{subnet}}})).To(BeTrue())
	g.Expect(slice.Annotations).To(Equal(map[string]string{"other": "stays"}))
}
