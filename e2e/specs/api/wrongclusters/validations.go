// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import "github.com/draconform/draconform/e2e/internal/wrong"

// wrongValidations are clusters whose API server accepts wrong objects, or stores right
// ones incorrectly.
var wrongValidations = wrong.Table{
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
}
