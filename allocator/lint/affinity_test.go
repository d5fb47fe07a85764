// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/allocator/internal/affinity"
)

func affinityCases() []ruleCase {
	const annotation = "ResourceSlice n1-nics: metadata.annotations[draconform.dev/sharing-affinity]"
	const claim, parameters = "ResourceClaim two-gpus: spec.devices", "ResourceClaim two-gpus: spec.devices.config[1].opaque.parameters"
	declare := func(text string) func(*world) {
		return func(w *world) { metav1.SetMetaDataAnnotation(&w.nics().ObjectMeta, affinity.Annotation, text) }
	}
	keys := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`"example.com/key%d"`, i))
		}
		return `{"gpu-0": {"attributeKeys": [` + strings.Join(list, ",") + "]}}"
	}
	state := func(attributes string) func(*world) {
		return func(w *world) { w.claim().Config[1].Opaque.Parameters.Raw = []byte(structured(attributes)) }
	}
	var nine []string
	for i := range 9 {
		nine = append(nine, fmt.Sprintf(`"x.y/k%d":{"int":1}`, i))
	}
	stating := func() resourceapi.DeviceConfiguration {
		return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
			Driver: "resource.k8s.io", Parameters: runtime.RawExtension{Raw: []byte(structured(""))},
		}}
	}
	ofClass := func(n int) func(*world) {
		return func(w *world) {
			for range n {
				w.class().Spec.Config = append(w.class().Spec.Config, resourceapi.DeviceClassConfiguration{DeviceConfiguration: stating()})
			}
		}
	}
	ofTemplate := func(requests ...string) func(*world) {
		return func(w *world) {
			for range 2 {
				w.template().Config = append(w.template().Config, resourceapi.DeviceClaimConfiguration{Requests: requests, DeviceConfiguration: stating()})
			}
		}
	}
	return []ruleCase{
		{"affinity-declaration", "no JSON", declare("{"), []string{annotation + ": is not the JSON that it should be: unexpected end of JSON input"}},
		{"affinity-declaration", "YAML", declare("gpu-0: {}"), []string{annotation + ": is not the JSON that it should be: invalid character 'g' looking for beginning of value"}},
		{"affinity-declaration", "another field", declare(`{"gpu-0": {"parameterKeys": []}}`), []string{
			annotation + `: is not the JSON that it should be: unknown field "gpu-0.parameterKeys"`}},
		{"affinity-declaration", "no keys", declare(`{"gpu-0": {}}`), []string{annotation + "[gpu-0].attributeKeys: has no keys, at least 1 is required"}},
		{"affinity-declaration", "8 keys", declare(keys(8)), nil},
		{"affinity-declaration", "9 keys", declare(keys(9)), []string{annotation + "[gpu-0].attributeKeys: has 9 keys, at most 8 are allowed"}},
		{"affinity-declaration", "one twice", declare(`{"gpu-0": {"attributeKeys": ["x.y/a", "x.y/a"]}}`),
			[]string{annotation + `[gpu-0].attributeKeys[1]: "x.y/a" is in the list already`}},
		{"affinity-declaration", "no domain", declare(`{"gpu-0": {"attributeKeys": ["a"]}}`),
			[]string{annotation + `[gpu-0].attributeKeys[0]: "a" has no domain, must be a domain and a name separated by /`}},
		{"affinity-declaration", "no identifier", declare(`{"gpu-0": {"attributeKeys": ["x.y/"]}}`),
			[]string{annotation + `[gpu-0].attributeKeys[0]: is missing, must be a C identifier`}},
		{"affinity-device", "unknown", declare(`{"gpu-1": {"attributeKeys": ["x.y/a"]}}`), []string{annotation + `[gpu-1]: the slice has no device "gpu-1"`}},
		{"affinity-device", "dedicated", func(w *world) { w.nic().AllowMultipleAllocations = nil }, []string{
			annotation + "[gpu-0]: device gpu-0 does not allow multiple allocations: claims do not share it, but must state the values"}},
		{"affinity-device", "cannot be read", declare(`{"gpu-1": {}`), nil},
		{"affinity-entry", "a field too many", func(w *world) {
			raw := &w.claim().Config[1].Opaque.Parameters.Raw
			*raw = []byte(strings.Replace(string(*raw), "{", `{"values":1,`, 1))
		}, []string{parameters + `: cannot be read, so that no device with a sharing affinity is allocated: decode StructuredParameters: unknown field "values"`}},
		{"affinity-entry", "9 attributes", state(strings.Join(nine, ",")), []string{
			parameters + ": cannot be read, so that no device with a sharing affinity is allocated: has 9 attributes, at most 8 are allowed"}},
		{"affinity-entry", "8 attributes", state(strings.Join(nine[:8], ",")), nil},
		{"affinity-entry", "a value that is no attribute", state(`"x.y/a":"b"`), []string{
			parameters + ": cannot be read, so that no device with a sharing affinity is allocated: decode StructuredParameters: json: cannot unmarshal string into Go struct field .attributes of type v1.DeviceAttribute"}},
		{"affinity-entry", "no domain", state(`"subnet":{"string":"b"}`), []string{
			parameters + `.attributes[subnet]: "subnet" has no domain, must be a domain and a name separated by /`}},
		{"affinity-entry", "of another driver", func(w *world) {
			w.claim().Config[1].Opaque.Driver = "nic.example.com"
			w.claim().Config[1].Opaque.Parameters.Raw = []byte(`{"kind":1}`)
		}, nil},
		{"affinity-entry-unknown", "another version", func(w *world) {
			raw := &w.claim().Config[1].Opaque.Parameters.Raw
			*raw = []byte(strings.Replace(string(*raw), "v1alpha1", "v1", 1))
		}, []string{parameters + ": are not StructuredParameters of resource.k8s.io/v1alpha1: they are ignored"}},
		{"affinity-entry-duplicate", "of a claim", func(w *world) {
			w.claim().Config = append(w.claim().Config, resourceapi.DeviceClaimConfiguration{DeviceConfiguration: stating()})
		}, []string{claim + ".requests[0].exactly: has 2 entries of the kind StructuredParameters, at most 1 is allowed: config[1], config[2]"}},
		{"affinity-entry-duplicate", "of claim and class", ofClass(1), []string{
			claim + ".requests[0].exactly: has 2 entries of the kind StructuredParameters, at most 1 is allowed: config[1] of class gpu.example.com, config[1]"}},
		{"affinity-entry-duplicate", "of a template", ofTemplate("gpu"), []string{
			"ResourceClaimTemplate two-gpus: spec.spec.devices.requests[0].exactly: has 2 entries of the kind StructuredParameters, at most 1 is allowed: config[1], config[2]"}},
		{"affinity-entry-duplicate", "for two requests", func(w *world) {
			w.claim().Config = append(w.claim().Config, resourceapi.DeviceClaimConfiguration{Requests: []string{"second"}, DeviceConfiguration: stating()})
		}, nil},
		{"affinity-entry-duplicate", "for an alternative", func(w *world) {
			for _, name := range []string{"second", "second/all"} {
				w.claim().Config = append(w.claim().Config, resourceapi.DeviceClaimConfiguration{Requests: []string{name}, DeviceConfiguration: stating()})
			}
		}, []string{claim + ".requests[1].firstAvailable[1]: has 2 entries of the kind StructuredParameters, at most 1 is allowed: config[2], config[3]"}},
		{"affinity-entry-duplicate", "of a class", func(w *world) { w.Claims, w.Templates = nil, nil; ofClass(2)(w) }, []string{
			"DeviceClass gpu.example.com: spec.config: has 2 entries of the kind StructuredParameters, at most 1 is allowed"}},
		{"affinity-value", "a number", state(`"nic.example.com/subnet":{"int":1}`), []string{
			parameters + ".attributes[nic.example.com/subnet]: is not just a string, so that devices which demand it are not allocated"}},
		{"affinity-value", "a string and a number", state(`"nic.example.com/subnet":{"string":"a","int":1}`), []string{
			parameters + ".attributes[nic.example.com/subnet]: is not just a string, so that devices which demand it are not allocated"}},
	}
}

func structured(attributes string) string {
	return `{"apiVersion":"resource.k8s.io/v1alpha1","kind":"StructuredParameters","attributes":{` + attributes + `}}`
}

// The rule reports an error for a declaration if and only if the allocator does not use the
// declaration.
func TestDeclarationsAreRefusedAsTheAllocatorRefusesThem(t *testing.T) {
	for _, c := range affinityCases() {
		if c.rule != "affinity-declaration" {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			w := &world{clean(t)}
			c.change(w)
			NewWithT(t).Expect(affinity.Read(w.nics()).Err != nil).To(Equal(len(c.want) > 0))
		})
	}
}
