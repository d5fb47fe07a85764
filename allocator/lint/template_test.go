// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package lint

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// The rules for claims also apply to claim templates.
func templateCases() []ruleCase {
	const devices = "ResourceClaimTemplate two-gpus: spec.spec.devices"
	return []ruleCase{
		{"object-duplicate", "two templates", func(w *world) { w.Add(w.Templates[0].DeepCopy()) },
			[]string{"ResourceClaimTemplate two-gpus: metadata.name: is also in testdata/clean.yaml, document 6"}},
		{"name-invalid", "template", func(w *world) { w.Templates[0].Name = "Two" },
			[]string{`ResourceClaimTemplate Two: metadata.name: "Two" is not a DNS subdomain: a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`}},
		{"name-duplicate", "request of a template", func(w *world) { w.template().Requests = append(w.template().Requests, w.template().Requests[0]) },
			[]string{devices + `.requests[1]: "gpu" is in the list already`}},
		{"limit-results", "template", func(w *world) { w.template().Requests[0].Exactly.Count = 33 },
			[]string{devices + ".requests: has 33 devices to allocate, at most 32 are allowed"}},
		{"limit-requests", "template", func(w *world) {
			w.template().Constraints = append(w.template().Constraints, make([]resourceapi.DeviceConstraint, 32)...)
		}, []string{devices + ".constraints: has 33 constraints, at most 32 are allowed"}},
		{"request-form", "template", func(w *world) { w.template().Requests[0].Exactly = nil },
			[]string{devices + ".requests[0]: has neither exactly nor firstAvailable, exactly 1 must be set"}},
		{"request-unknown", "template", func(w *world) { w.template().Config[0].Requests[0] = "nic" },
			[]string{devices + `.config[0].requests[0]: "nic" is neither a request of the claim nor a request and a subrequest separated by /`}},
		{"constraint-form", "template", func(w *world) { w.template().Constraints[0].MatchAttribute = nil },
			[]string{devices + ".constraints[0]: has neither matchAttribute nor distinctAttribute"}},
		{"parameters-form", "template", func(w *world) { w.template().Config[0].Opaque.Parameters = runtime.RawExtension{Raw: []byte("1")} },
			[]string{devices + ".config[0].opaque.parameters: are not a JSON object"}},
		{"selector-invalid", "template", func(w *world) { w.template().Requests[0].Exactly.Selectors[0].CEL.Expression = "device.driver" },
			[]string{devices + ".requests[0].exactly.selectors[0].cel.expression: must evaluate to bool or the unknown type, not string"}},
	}
}
