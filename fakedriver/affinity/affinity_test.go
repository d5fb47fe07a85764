package affinity_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/fakedriver/affinity"
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

// The cases cover each rule of the KEP for the entry of a claim.
func TestEntry(t *testing.T) {
	a := text(subnet, "a")
	for _, test := range []struct {
		name    string
		config  []config
		values  map[string]string
		message string // error of a device that declares subnet
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
		{"attributes that are a list", []config{opaque("resource.k8s.io", `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":[]}`)}, nil, "decode"},
		{"too many attributes", []config{entry(manyAttributes(9))}, nil, "has 9 attributes, at most 8 are allowed"},
		{"the maximum number of attributes", []config{entry(a + "," + manyAttributes(7))}, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			values, err := rule(true, subnet).Admit(test.config, "nic/fast")
			if test.message != "" {
				g.Expect(err).To(MatchError(ContainSubstring(test.message)))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			if test.values != nil {
				g.Expect(values).To(Equal(test.values))
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

func TestParse(t *testing.T) {
	g := NewWithT(t)
	declared, err := affinity.Parse(`{"mlx5-0": {"attributeKeys": ["` + subnet + `", "` + pkey + `"]}, "mlx5-1": {"attributeKeys": ["` + subnet + `"]}}`)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(declared).To(Equal(map[string]affinity.Declaration{
		"mlx5-0": {AttributeKeys: []string{subnet, pkey}}, "mlx5-1": {AttributeKeys: []string{subnet}},
	}))
}

func TestParseErrors(t *testing.T) {
	keys := func(n int) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"x/key%d"`, i))
		}
		return `{"nic":{"attributeKeys":[` + strings.Join(all, ",") + `]}}`
	}
	for name, test := range map[string]struct{ value, message string }{
		"no JSON":           {`{`, "decode annotation draconform.dev/sharing-affinity"},
		"an unknown field":  {`{"nic":{"parameterKeys":["x/a"]}}`, `unknown field "parameterKeys"`},
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
			_, err := affinity.Parse(test.value)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(test.message)))
		})
	}
	_, err := affinity.Parse(keys(8))
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
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
	parsed, err := affinity.Parse(slice.Annotations[affinity.Annotation])
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
