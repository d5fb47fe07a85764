// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

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
	"API server does not set times of new rules": {
		Options: wrong.With(fakecluster.APIServerMistakes{LosesTaintTimes: true}), Spec: "taint-rule-time-is-set",
		Want: []string{"a new rule should have a time"},
	},
	"API server sets the time of a rule in every update": {
		Options: mistimesRules(func(_ resourceapi.DeviceTaint, taint *resourceapi.DeviceTaint) {
			taint.TimeAdded = ptr.To(metav1.Now())
		}),
		Spec: "taint-rule-time-is-set", Want: []string{"because only its value has changed"},
	},
	"API server keeps the time of a rule": {
		Options: mistimesRules(func(before resourceapi.DeviceTaint, taint *resourceapi.DeviceTaint) {
			taint.TimeAdded = before.TimeAdded
		}),
		Spec: "taint-rule-time-is-set", Want: []string{"the time of a rule whose effect has changed should be that of the change"},
	},
	"API server replaces the time that is given with another effect": {
		Options: mistimesRules(func(before resourceapi.DeviceTaint, taint *resourceapi.DeviceTaint) {
			if taint.Effect != before.Effect {
				taint.TimeAdded = ptr.To(metav1.Now())
			}
		}), Spec: "taint-rule-time-is-set", Want: []string{"because it was given together with another effect"},
	},
	"updates of rules change their status": {
		Options: wrong.StoresAllParts("update"), Spec: "taint-rule-status-has-its-own-endpoint",
		Want: []string{"an update of a rule should not store its status"},
	},
	"updates of the status of rules change their taint": {
		Options: wrong.StoresAllParts("status"), Spec: "taint-rule-status-has-its-own-endpoint",
		Want: []string{"an update of the status of a rule should leave its taint as it is"},
	},
	"the generations of rules stay": {
		Options: wrong.With(fakecluster.APIServerMistakes{MiscountsGenerations: func(int64, bool) int64 { return 1 }}), Spec: "taint-rule-status-has-its-own-endpoint",
		Want: []string{"the generation of a rule should grow when its taint changes"},
	},
	"the generations of rules count labels": {
		Options: wrong.With(fakecluster.APIServerMistakes{MiscountsGenerations: func(before int64, _ bool) int64 { return before + 1 }}), Spec: "taint-rule-status-has-its-own-endpoint",
		Want: []string{"the generation of a rule should stay when its labels change"},
	},
	"rules can have any number of conditions": {
		Spec: "taint-rule-status-has-its-own-endpoint", Want: []string{"the API server should reject 9 conditions of a rule: <nil>"},
	},
	"API server accepts invalid taints and tolerations": {
		Spec: "taint-fields-are-validated",
		Want: []string{"a taint without a key: is accepted, and should be rejected because of spec.devices[0].taints[0]", "any value and a value: is accepted"},
	},
	"API server accepts invalid rules": {
		Spec: "taint-rules-are-validated",
		Want: []string{"a device with an invalid name: is accepted, and should be rejected because of spec.deviceSelector.device", "no effect: is accepted"},
	},
	"API server loses tolerations": {
		Options: wrong.Misstores("ResourceClaim", func(devices any) {
			request := devices.(map[string]any)["requests"].([]any)[0].(map[string]any)
			if exactly, ok := request["exactly"].(map[string]any); ok {
				delete(exactly, "tolerations")
			}
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

// mistimesRules returns the options of a cluster whose API server changes taints of
// DeviceTaintRules in updates.
func mistimesRules(change func(before resourceapi.DeviceTaint, taint *resourceapi.DeviceTaint)) fakecluster.Options {
	return wrong.With(fakecluster.APIServerMistakes{MistimesRules: change})
}
