// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongServers are clusters whose API server makes mistakes.
var wrongServers = wrong.Table{
	"API server does not set times": {
		Options: wrong.With(fakecluster.APIServerMistakes{LosesTaintTimes: true}), Spec: "taint-time-is-set",
		Want: []string{"a new taint should have a time"},
	},
	"API server sets all times again": {
		Options: wrong.With(fakecluster.APIServerMistakes{ResetsTaintTimes: true}), Spec: "taint-time-is-set",
		Want: []string{"the taint of device earlier should keep its time"},
	},
	"API server accepts invalid taints and tolerations": {
		Spec: "taint-fields-are-validated",
		Want: []string{"a taint without a key: is accepted, and should be rejected because of spec.devices[0].taints[0]", "any value and a value: is accepted"},
	},
	"API server loses tolerations": {
		Options: wrong.Misstores("ResourceClaim", func(devices any) {
			request := devices.(map[string]any)["requests"].([]any)[0].(map[string]any)
			delete(request["exactly"].(map[string]any), "tolerations")
		}),
		Spec: "taint-fields-are-validated", Want: []string{"all fields of tolerations: spec.devices.requests[0].exactly.tolerations should have 3 items, and has 0"},
	},
	"API server keeps taints without the feature": {
		Target: wrong.WithoutFeature(features.DeviceTaints), Spec: "taint-fields-are-dropped",
		Want: []string{"a device with a taint: taints should be dropped"},
	},
	"API server keeps tolerations without the feature": {
		Target: wrong.WithoutFeature(features.DeviceTaints), Spec: "tolerations-are-dropped",
		Want: []string{"a request with a toleration: tolerations should be dropped", "a template with a toleration: tolerations should be dropped"},
	},
}
