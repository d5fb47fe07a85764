// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongServers are clusters whose API server does not keep, drop or reject fields of
// shared devices as it should.
var wrongServers = wrong.Table{
	"API server accepts the status of unknown shares": {
		Options: wrong.With(fakecluster.APIServerMistakes{StoresAnyStatus: true}),
		Spec:    "shared-device-status-of-each-share",
		Want:    []string{"the API server should reject the status of an unknown share"},
	},
	"API server mixes up the status of shares": {
		Options: wrong.With(fakecluster.APIServerMistakes{MixesUpShares: true}),
		Spec:    "shared-device-status-of-each-share",
		Want:    []string{"each share should have the status that was written for it", "False of request down"},
	},
	"API server does not validate slices": {
		Spec: "shared-device-is-validated",
		Want: []string{
			"a policy of a device that is not shared: is accepted, and should be rejected because of spec.devices[0].capacity",
			"both values and a range: is accepted", "values without a default: is accepted",
		},
	},
	"API server accepts any identity of a share": {
		Spec: "shared-device-allocations-are-validated",
		Want: []string{"a claim with a share whose identity is a word: is accepted, and should be rejected because of status.allocation.devices.results[0].shareID"},
	},
	"API server loses policies": {
		Options: wrong.Misstores("ResourceSlice", func(devices any) {
			for _, device := range devices.([]any) {
				delete(device.(map[string]any)["capacity"].(map[string]any)["memory"].(map[string]any), "requestPolicy")
			}
		}),
		Spec: "shared-device-is-validated",
		Want: []string{"a default: spec.devices[0].capacity.memory.requestPolicy"},
	},
	"API server stores fields of a disabled feature": {
		Target: wrong.WithoutFeature(features.SharedDevices),
		Spec:   "shared-device-fields-dropped",
		Want:   []string{"a shared device: allowMultipleAllocations should be dropped", "a policy: requestPolicy should be dropped", `capacity of a request: "capacity" should be dropped`},
	},
	"API server does not check steps": {
		Spec: "shared-device-steps-are-validated",
		Want: []string{
			"a step of zero: is accepted, and should be rejected because of spec.devices[0].capacity", "a step below zero: is accepted",
			"a minimum below zero: is accepted", "a default between two steps of more than 64 bits: is accepted",
		},
	},
	"API server stores distinctAttribute without the feature": {
		Target: wrong.WithoutFeature(features.SharedDevices),
		Spec:   "distinct-attribute-dropped",
		Want:   []string{"a constraint with distinctAttribute: distinctAttribute should be dropped", "a constraint with both attributes in a template: distinctAttribute should be dropped"},
	},
}
