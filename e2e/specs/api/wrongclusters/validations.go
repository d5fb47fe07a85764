// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"maps"

	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
)

// wrongValidations are clusters whose API server accepts wrong objects, or stores right
// ones incorrectly.
var wrongValidations = wrong.Table{
	"API server accepts pods with wrong claims": {
		Spec: "pod-claims-are-validated",
		Want: []string{
			"a pod with two entries of the same name: is accepted, and should be rejected because of spec.resourceClaims",
			"a pod with an entry of a claim and a template: is accepted", "a pod with a container that uses an unknown claim: is accepted",
			"a pod with an init container that uses an unknown claim: is accepted",
		},
	},
	"API server loses the requests that containers use": {
		Options: misstores(func(o map[string]any) { drop(o, "request") }), Spec: "pod-claims-are-validated",
		Want: []string{"a pod: spec.containers[0].resources.claims[1].request should be first"},
	},
	"API server accepts wrong objects": {
		Spec: "core-objects-are-validated",
		Want: []string{
			"a claim with a negative count: is accepted, and should be rejected because of spec.devices.requests[0].exactly.count",
			"a claim with configuration with configuration for an unknown request: is accepted", "a claim with 33 requests: is accepted",
			"a template with no class: is accepted", "a class with parameters that are a list: is accepted",
			"a slice of selected nodes with a pool of no slices: is accepted", "a slice with a device with a text of 65 characters: is accepted",
		},
	},
	"API server loses constraints": {
		Options: misstores(func(o map[string]any) { drop(o, "constraints") }), Spec: "core-objects-are-validated",
		Want: []string{"a claim with a constraint: spec.devices.constraints should have 1 items, and has 0"},
	},
	"API server shortens names": {
		Options: misstores(func(o map[string]any) {
			each(o["spec"], func(part map[string]any) {
				if name, ok := part["name"].(string); ok && len(name) > 62 {
					part["name"] = name[:62]
				}
			})
		}),
		Spec: "core-objects-are-validated", Want: []string{"a claim with a request with a name of 63 characters: spec.devices.requests[0].name should be"},
	},
	"API server accepts wrong updates": {
		Spec: "updates-are-validated",
		Want: []string{
			"a slice of a node with another driver: is accepted, and should be rejected because of spec.driver", "a slice of a node with another pool: is accepted",
			"a slice of a node with all nodes: is accepted", "a slice of selected nodes with a node: is accepted",
			"a class with a second selector that does not compile: is accepted",
		},
	},
	"API server ignores updates of classes": {
		Options: misstores(func(o map[string]any) {
			if o["kind"] == "DeviceClass" {
				set(o["spec"], "expression", "true")
			}
		}),
		Spec: "updates-are-validated", Want: []string{"a class with another selector: spec.selectors[0].cel.expression should be false, and is true"},
	},
	"API server accepts wrong allocations and consumers": {
		Spec: "claim-status-is-validated",
		Want: []string{
			"a claim with no allocation: is accepted, and should be rejected because of status.reservedFor", "a claim with another consumer of the same UID: is accepted",
			"a claim with 257 consumers: is accepted", "a claim with a device for an unknown request: is accepted", "a claim with configuration of no source: is accepted",
			"a claim with a node selector without terms: is accepted",
		},
	},
	"API server loses consumers": {
		Options: misstores(func(o map[string]any) { drop(o, "reservedFor") }), Spec: "claim-status-is-validated",
		Want: []string{"a claim: status.reservedFor should have 1 items, and has 0"},
	},
}

// wrongDefaults are clusters whose API server sets other defaults than those of the
// documentation, or none.
var wrongDefaults = wrong.Table{
	"API server sets no defaults": {
		Spec: "fields-have-defaults", Want: []string{`a request: it should have ["allocationMode: ExactCount" "count: 1"`, `a toleration: it should have`},
	},
	"API server sets no defaults in v1beta1": {
		Spec: "v1beta1-has-the-same-defaults", Want: []string{`alternatives: it should have`},
	},
	"API server sets no defaults in v1beta2": {
		Spec: "v1beta2-has-the-same-defaults", Want: []string{`a template: it should have`},
	},
	"API server sets a number for all devices": {
		Options: misstores(func(o map[string]any) {
			setDefaults(o)
			each(o, func(part map[string]any) {
				if part["allocationMode"] == "All" {
					part["count"] = float64(1)
				}
			})
		}),
		Spec: "fields-have-defaults", Want: []string{`a request for all devices: it should have`, `and in addition ["count: 1"]`},
	},
	"API server sets defaults of v1beta1 beside alternatives": {
		Options: misstores(func(o map[string]any) {
			setDefaults(o)
			each(o, func(part map[string]any) {
				if _, ok := part["firstAvailable"]; ok {
					part["allocationMode"] = "ExactCount"
				}
			})
		}),
		Spec: "v1beta1-has-the-same-defaults", Want: []string{"alternatives: it should have"},
	},
	"an API server with a new field that has a default": {
		Options: misstores(func(o map[string]any) {
			setDefaults(o)
			each(o, func(part map[string]any) {
				if _, ok := part["deviceClassName"]; ok {
					part["placement"] = "Spread"
				}
			})
		}),
		Spec: "fields-have-defaults", Outcome: suite.Passed,
	},
	"an API server that sets defaults":            {Options: misstores(setDefaults), Spec: "fields-have-defaults", Outcome: suite.Passed},
	"an API server that sets defaults in v1beta1": {Options: misstores(setDefaults), Spec: "v1beta1-has-the-same-defaults", Outcome: suite.Passed},
}

// setDefaults sets the defaults of requests, alternatives and tolerations in an object of
// any version.
func setDefaults(object map[string]any) {
	each(object, func(part map[string]any) {
		if _, ok := part["deviceClassName"]; ok {
			given := maps.Clone(part)
			part["allocationMode"], part["count"] = "ExactCount", float64(1)
			if given["allocationMode"] == "All" {
				delete(part, "count")
			}
			maps.Copy(part, given)
		}
		if _, ok := part["key"]; ok && part["operator"] == nil {
			part["operator"] = "Equal"
		}
	})
}
