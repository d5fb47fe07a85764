// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package allocator_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/allocator"
)

const nicDriver = "nic.example.com"

var nicClasses = classes{"nic": {ObjectMeta: metav1.ObjectMeta{Name: "nic"}}}

func lines(input string) (list [][]string) {
	for line := range strings.Lines(input) {
		list = append(list, strings.Fields(line))
	}
	return list
}

func nics(t *testing.T, lines [][]string) *resourceapi.ResourceSlice {
	s := &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "nics"}}
	s.Spec = resourceapi.ResourceSliceSpec{Driver: nicDriver, NodeName: ptr.To("node"), Pool: resourceapi.ResourcePool{Name: "node", ResourceSliceCount: 1}}
	declared := map[string]any{}
	for _, words := range lines {
		device := resourceapi.Device{Name: words[0]}
		for _, word := range words[1:] {
			switch name, value, _ := strings.Cut(word, "="); name {
			case "slots":
				device.AllowMultipleAllocations = ptr.To(true)
				device.Capacity = map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{"slots": {
					Value: resource.MustParse(value), RequestPolicy: &resourceapi.CapacityRequestPolicy{Default: ptr.To(resource.MustParse("1"))},
				}}
			case "keys":
				var keys []string
				for key := range strings.SplitSeq(value, ",") {
					keys = append(keys, nicDriver+"/"+key)
				}
				declared[device.Name] = map[string]any{"attributeKeys": keys}
			}
		}
		s.Spec.Devices = append(s.Spec.Devices, device)
	}
	if len(declared) > 0 {
		metav1.SetMetaDataAnnotation(&s.ObjectMeta, allocator.AffinityAnnotation, encode(t, declared))
	}
	return s
}

// claimWith returns a claim with one request per line: name, options, and values.
func claimWith(t *testing.T, name string, lines [][]string) *resourceapi.ResourceClaim {
	claim := &resourceapi.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name}}
	d := &claim.Spec.Devices
	for _, words := range lines {
		exactly := &resourceapi.ExactDeviceRequest{DeviceClassName: "nic", AllocationMode: resourceapi.DeviceAllocationModeExactCount, Count: 1}
		request, attributes, entries := strings.TrimSuffix(words[0], ":"), map[string]any{}, 0
		for _, word := range words[1:] {
			switch key, value, _ := strings.Cut(word, "="); {
			case word == "all":
				exactly.AllocationMode, exactly.Count = resourceapi.DeviceAllocationModeAll, 0
			case word == "admin":
				exactly.AdminAccess = ptr.To(true)
			case key == "slots":
				exactly.Capacity = &resourceapi.CapacityRequirements{Requests: map[resourceapi.QualifiedName]resource.Quantity{"slots": resource.MustParse(value)}}
			case word == "twice":
				entries = 2
			case word == "malformed":
				d.Config = append(d.Config, structuredParameters(`{"attributes"`, request))
			default:
				entries = max(entries, 1)
				attributes[nicDriver+"/"+key] = attributeOf(value)
			}
		}
		d.Requests = append(d.Requests, resourceapi.DeviceRequest{Name: request, Exactly: exactly})
		for range entries {
			d.Config = append(d.Config, structuredParameters(encode(t, map[string]any{
				"apiVersion": "resource.k8s.io/v1alpha1", "kind": "StructuredParameters", "attributes": attributes,
			}), request))
		}
	}
	return claim
}

func attributeOf(value string) map[string]any {
	if n, err := strconv.Atoi(value); err == nil {
		return map[string]any{"int": n}
	}
	return map[string]any{"string": value}
}

func structuredParameters(text, request string) resourceapi.DeviceClaimConfiguration {
	return resourceapi.DeviceClaimConfiguration{Requests: []string{request}, DeviceConfiguration: resourceapi.DeviceConfiguration{
		Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: "resource.k8s.io", Parameters: runtime.RawExtension{Raw: []byte(text)}},
	}}
}

func encode(t *testing.T, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
