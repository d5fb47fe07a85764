// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongServers are clusters whose API server makes mistakes.
var wrongServers = wrong.Table{
	"API server accepts invalid conditions": {
		Spec: "binding-fields-are-validated",
		Want: []string{"five binding conditions: is accepted, and should be rejected because of spec.devices[0].bindingConditions", "a binding failure condition that is no condition type: is accepted", "a condition of both kinds: is accepted"},
	},
	"API server accepts invalid conditions of allocated devices": {
		Spec: "binding-allocations-are-validated",
		Want: []string{"a claim with a condition of both kinds: is accepted, and should be rejected because of status.allocation.devices.results[0].bindingFailureConditions"},
	},
	"API server loses bindsToNode": {
		Options: wrong.Misstores("ResourceSlice", func(devices any) { delete(devices.([]any)[0].(map[string]any), "bindsToNode") }),
		Spec:    "binding-fields-are-validated", Want: []string{"all fields: spec.devices[0].bindsToNode should be true, and is <nil>"},
	},
	"API server keeps the fields without the feature": {
		Target: wrong.WithoutFeature(features.BindingConditions), Spec: "binding-fields-are-dropped",
		Want: []string{"a device with binding conditions: bindingConditions should be dropped", "a device that binds to its node: bindsToNode should be dropped"},
	},
}
