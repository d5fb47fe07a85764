// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

func claimCases() []ruleCase {
	const request = "ResourceClaim two-gpus: spec.devices.requests[0]"
	const class = "DeviceClass gpu.example.com: spec.selectors"
	expression := func(text string) func(*world) {
		return func(w *world) { w.class().Spec.Selectors[0].CEL.Expression = text }
	}
	return []ruleCase{
		{"request-form", "neither", func(w *world) { w.claim().Requests[0].Exactly = nil },
			[]string{request + ": has neither exactly nor firstAvailable, exactly 1 must be set"}},
		{"request-form", "both", func(w *world) { w.claim().Requests[0].FirstAvailable = w.claim().Requests[1].FirstAvailable },
			[]string{request + ": has exactly and firstAvailable, exactly 1 must be set"}},
		{"request-form", "negative count", func(w *world) { w.claim().Requests[0].Exactly.Count = -1 },
			[]string{request + ".exactly.count: is -1, must be at least 1"}},
		{"request-form", "count of all", func(w *world) { w.claim().Requests[0].Exactly.AllocationMode = "All" },
			[]string{request + ".exactly.count: is 1, must not be set with allocationMode All"}},
		{"request-form", "unknown mode", func(w *world) { w.claim().Requests[0].Exactly.AllocationMode = "Some" },
			[]string{request + `.exactly.allocationMode: "Some" is not known, use ExactCount or All`}},
		{"request-unknown", "subrequest without its request", func(w *world) { w.claim().Constraints[0].Requests[1] = "one" },
			[]string{`ResourceClaim two-gpus: spec.devices.constraints[0].requests[1]: "one" is neither a request of the claim nor a request and a subrequest separated by /`}},
		{"constraint-form", "empty", func(w *world) { w.claim().Constraints[0].MatchAttribute = nil },
			[]string{"ResourceClaim two-gpus: spec.devices.constraints[0]: has neither matchAttribute nor distinctAttribute"}},
		{"constraint-form", "no domain", func(w *world) {
			w.claim().Constraints[0].MatchAttribute = ptr.To[resourceapi.FullyQualifiedName]("model")
		},
			[]string{`ResourceClaim two-gpus: spec.devices.constraints[0].matchAttribute: "model" has no domain, must be a domain and a name separated by /`}},
		{"parameters-form", "list", func(w *world) { w.claim().Config[0].Opaque.Parameters = runtime.RawExtension{Raw: []byte("[]")} },
			[]string{"ResourceClaim two-gpus: spec.devices.config[0].opaque.parameters: are not a JSON object"}},
		{"parameters-form", "no driver", func(w *world) { w.class().Spec.Config[0].Opaque.Driver = "" },
			[]string{"DeviceClass gpu.example.com: spec.config[0].opaque.driver: is missing, must be a DNS subdomain"}},
		{"selector-invalid", "unknown field", expression("device.pool == ''"),
			[]string{class + "[0].cel.expression: compilation failed: ERROR: <input>:1:7: undefined field 'pool'"}},
		{"selector-invalid", "no boolean", expression("device.driver"),
			[]string{class + "[0].cel.expression: must evaluate to bool or the unknown type, not string"}},
		{"selector-invalid", "no expression", func(w *world) { w.class().Spec.Selectors[0].CEL = nil },
			[]string{class + "[0].cel: is missing, the only kind of selector there is"}},
		// The claim's selector is evaluated only for the GPUs, because of the class. With the changed class it is
		// also evaluated for the NIC.
		{"selector-fails", "class lets another driver in", expression("true"),
			[]string{
				request + `.exactly.selectors[0].cel.expression: fails on 1 of 4 devices, the first is nic.example.com/n1/gpu-0: no such key: model`,
				`ResourceClaimTemplate two-gpus: spec.spec.devices.requests[0].exactly.selectors[0].cel.expression: fails on 1 of 4 devices, the first is nic.example.com/n1/gpu-0: no such key: model`,
			}},
		{"selector-fails", "not evaluated after one that is false", func(w *world) {
			w.class().Spec.Selectors = append(w.class().Spec.Selectors, resourceapi.DeviceSelector{
				CEL: &resourceapi.CELDeviceSelector{Expression: `device.attributes["gpu.example.com"].model == "large"`}})
		}, nil},
		{"class-matches-nothing", "driver without devices", expression(`device.driver == "other"`), []string{class + ": match none of 4 devices"}},
		{"class-matches-nothing", "no slices at hand", func(w *world) { expression(`device.driver == "other"`)(w); w.Slices = nil }, nil},
		{"class-matches-nothing", "cannot be judged", expression(`device.attributes["gpu.example.com"].absent`), nil},
	}
}
