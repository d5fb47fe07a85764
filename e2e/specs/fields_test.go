// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package specs_test

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/yaml"
)

// A field that the API gets later is in no object until fields.yaml has it.
func TestFieldsHasEveryFieldOfTheAPI(t *testing.T) {
	g := NewWithT(t)
	content, err := os.ReadFile("api/data/fields.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	var all []struct {
		Kind         string
		Spec, Status json.RawMessage
	}
	g.Expect(yaml.Unmarshal(content, &all)).To(Succeed())
	known, used := map[string]bool{}, map[string]bool{}
	for _, o := range all {
		object := map[string]any{
			"ResourceSlice": &resourceapi.ResourceSlice{}, "DeviceClass": &resourceapi.DeviceClass{},
			"ResourceClaim": &resourceapi.ResourceClaim{}, "ResourceClaimTemplate": &resourceapi.ResourceClaimTemplate{},
		}[o.Kind]
		g.Expect(object).NotTo(BeNil(), o.Kind)
		status := ""
		if o.Status != nil {
			status = `, "status": ` + string(o.Status)
		}
		decoder := json.NewDecoder(bytes.NewReader([]byte(`{"spec": ` + string(o.Spec) + status + "}")))
		decoder.DisallowUnknownFields()
		g.Expect(decoder.Decode(object)).To(Succeed())
		addFields(known, reflect.TypeOf(object).Elem(), map[reflect.Type]bool{})
		addUsed(used, reflect.ValueOf(object).Elem())
	}
	for field := range known {
		g.Expect(used).To(HaveKey(field), "fields.yaml should have an object with this field")
	}
}

// isOfAPI reports whether a type belongs to resource.k8s.io.
func isOfAPI(of reflect.Type) bool {
	return of.Kind() == reflect.Struct && of.PkgPath() == reflect.TypeFor[resourceapi.Device]().PkgPath()
}

// nameOf returns the name of a field in JSON with its type. It is empty for the
// metadata of objects.
func nameOf(of reflect.Type, field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	if name == "" || name == "metadata" {
		return ""
	}
	return of.Name() + "." + name
}

// addFields adds the fields of a type and of its parts.
func addFields(to map[string]bool, of reflect.Type, seen map[reflect.Type]bool) {
	switch kind := of.Kind(); {
	case kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map:
		addFields(to, of.Elem(), seen)
	case isOfAPI(of) && !seen[of]:
		seen[of] = true
		for field := range of.Fields() {
			if name := nameOf(of, field); name != "" {
				to[name] = true
			}
			addFields(to, field.Type, seen)
		}
	}
}

// addUsed adds the fields of a value and of its parts that are set.
func addUsed(to map[string]bool, value reflect.Value) {
	switch kind := value.Kind(); {
	case kind == reflect.Pointer && !value.IsNil():
		addUsed(to, value.Elem())
	case kind == reflect.Slice:
		for i := range value.Len() {
			addUsed(to, value.Index(i))
		}
	case kind == reflect.Map:
		for _, key := range value.MapKeys() {
			addUsed(to, value.MapIndex(key))
		}
	case isOfAPI(value.Type()):
		for i := range value.NumField() {
			if field := value.Field(i); !field.IsZero() {
				to[nameOf(value.Type(), value.Type().Field(i))] = true
				addUsed(to, field)
			}
		}
	}
}
