// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package gen

import (
	"encoding/json"
	"fmt"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The keys that devices declare. Claims may state additional keys.
const subnet, pkey = "example.com/subnet", "nic.example.com/pkey"

// affinityTopics selects devices that can be shared, and few features that
// exclude claims for another reason.
func (d *draw) affinityTopics() {
	t := &d.topic
	t.sharing = d.chance("sharing", 95)
	t.policies = t.sharing && d.chance("policies", 40)
	t.counters = d.chance("counters", 15)
	t.taints = d.chance("taints", 5)
	t.conditions = d.chance("binding conditions", 10)
	t.attributes = d.chance("attributes", 50)
	t.constraints = t.attributes && d.chance("constraints", 30)
	t.selectors = t.attributes && d.chance("selectors", 60)
	t.failing = t.selectors && !d.config.Tidy && d.chance("failing selectors", 10)
	t.admin = d.chance("admin", 20)
	t.all = d.chance("all", 20)
	t.alternatives = d.chance("alternatives", 45)
	t.configuration = d.chance("configuration", 15)
	t.perDevice = d.chance("per device node selection", 10)
	t.generations = !d.config.Tidy && d.chance("generations", 5)
	t.broken = !d.config.Tidy && d.chance("broken pools", 5)
	t.odd = !d.config.Tidy && d.chance("odd state", 15)
}

// declare draws the keys that the devices of a slice declare. In half of the
// cases they are all equal, which ensures that requests with different values
// compete for the same devices.
func (d *draw) declare(slice *resourceapi.ResourceSlice) {
	equal := d.chance("all equal", 50)
	if !equal && d.chance("declares nothing", 20) {
		return
	}
	if len(d.usualKeys) == 0 || !equal {
		d.usualKeys = d.keys()
	}
	usual := d.usualKeys
	declared := map[string]any{}
	for _, device := range slice.Spec.Devices {
		switch {
		case !equal && d.chance("declares no keys", 30):
		case !equal && d.chance("other keys", 30):
			declared[device.Name] = map[string]any{"attributeKeys": d.keys()}
		default:
			declared[device.Name] = map[string]any{"attributeKeys": usual}
		}
	}
	if !d.config.Tidy && len(slice.Spec.Devices) > 0 && d.chance("wrong declaration", 5) {
		declared[slice.Spec.Devices[0].Name] = d.wrongDeclaration()
	}
	metav1.SetMetaDataAnnotation(&slice.ObjectMeta, "draconform.dev/sharing-affinity", encode(declared))
}

func (d *draw) keys() []string {
	return pick(d, "keys", []string{subnet}, []string{subnet, pkey}, []string{subnet, pkey}, []string{pkey}, []string{pkey, subnet})
}

func (d *draw) wrongDeclaration() any {
	var nine []string
	for i := range 9 {
		nine = append(nine, fmt.Sprintf("example.com/key%d", i))
	}
	return pick[any](d, "wrong declaration", "text", map[string]any{}, map[string]any{"parameterKeys": []string{subnet}},
		map[string]any{"attributeKeys": nine}, map[string]any{"attributeKeys": []string{"subnet"}},
		map[string]any{"attributeKeys": []string{subnet, subnet}}, map[string]any{"attributekeys": []string{subnet}})
}

// state draws the affinity values of a claim: for all of its requests, for each of them,
// or for alternatives.
func (d *draw) state(devices *resourceapi.DeviceClaim) {
	add := func(requests ...string) {
		for _, entry := range d.entries() {
			devices.Config = append(devices.Config, resourceapi.DeviceClaimConfiguration{Requests: requests, DeviceConfiguration: entry})
		}
	}
	if d.chance("stated for all requests", 25) {
		add()
		return
	}
	for _, request := range devices.Requests {
		if len(request.FirstAvailable) == 0 || d.chance("stated for all alternatives", 50) {
			add(request.Name)
			continue
		}
		for _, sub := range request.FirstAvailable {
			add(request.Name + "/" + sub.Name)
		}
	}
}

// entries draws the entries of a class or a claim: usually one entry with all keys
// that devices may declare.
func (d *draw) entries() []resourceapi.DeviceConfiguration {
	a, b := map[string]any{"string": "a"}, map[string]any{"string": "b"}
	right := map[string]any{subnet: pick(d, "subnet", a, a, b), pkey: pick(d, "pkey", a, a, b), "example.com/vlan": map[string]any{"int": 100}}
	if d.chance("right", 75) {
		return []resourceapi.DeviceConfiguration{parameters(right)}
	}
	switch kind := pick(d, "other entries", "part", "type", "none", "twice", "another kind", "another driver", "two kinds", "broken"); kind {
	case "part":
		delete(right, pick(d, "key that is missing", subnet, pkey))
		return []resourceapi.DeviceConfiguration{parameters(right)}
	case "type":
		right[pick(d, "key of another type", subnet, pkey)] = d.noString()
		return []resourceapi.DeviceConfiguration{parameters(right)}
	case "twice":
		return []resourceapi.DeviceConfiguration{parameters(right), parameters(right)}
	case "another kind", "two kinds":
		other := opaqueEntry(map[string]any{"apiVersion": "resource.k8s.io/v1alpha1", pick(d, "wrong name", "Kind", "kin"): "StructuredParameters", "attributes": right})
		if kind == "another kind" {
			return []resourceapi.DeviceConfiguration{other}
		}
		return []resourceapi.DeviceConfiguration{other, parameters(right)}
	case "another driver":
		entry := parameters(right)
		entry.Opaque.Driver = drivers[0]
		return []resourceapi.DeviceConfiguration{entry}
	case "broken":
		return []resourceapi.DeviceConfiguration{d.brokenEntry(right)}
	default:
		return nil
	}
}

// noString draws an attribute that is not exactly one string.
func (d *draw) noString() any {
	return pick(d, "other value", map[string]any{"int": 1}, map[string]any{"bool": true}, map[string]any{"version": "1.0.0"},
		map[string]any{"string": "a", "int": 1}, map[string]any{"strings": []string{"a"}}, map[string]any{"string": nil}, map[string]any{})
}

func (d *draw) brokenEntry(attributes map[string]any) resourceapi.DeviceConfiguration {
	entry := map[string]any{"apiVersion": "resource.k8s.io/v1alpha1", "kind": "StructuredParameters", "attributes": attributes}
	switch pick(d, "broken", "text", "field", "attribute", "attributes", "too many", "case") {
	case "text":
		return opaqueEntry("text")
	case "field":
		entry["colour"] = 1
	case "attribute":
		attributes["example.com/vlan"] = map[string]any{"colour": 1}
	case "attributes":
		entry["attributes"] = []any{}
	case "too many":
		for i := range 6 {
			attributes[fmt.Sprintf("example.com/key%d", i)] = map[string]any{"int": i}
		}
	case "case":
		attributes[subnet] = map[string]any{"String": "a"}
	}
	return opaqueEntry(entry)
}

func parameters(attributes map[string]any) resourceapi.DeviceConfiguration {
	return opaqueEntry(map[string]any{"apiVersion": "resource.k8s.io/v1alpha1", "kind": "StructuredParameters", "attributes": attributes})
}

func opaqueEntry(value any) resourceapi.DeviceConfiguration {
	return resourceapi.DeviceConfiguration{Opaque: &resourceapi.OpaqueDeviceConfiguration{
		Driver: "resource.k8s.io", Parameters: runtime.RawExtension{Raw: []byte(encode(value))},
	}}
}

func encode(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // Unreachable: maps of strings and numbers.
	}
	return string(text)
}
