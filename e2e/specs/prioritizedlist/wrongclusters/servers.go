// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongServers are clusters with faults of the API server.
var wrongServers = wrong.Table{
	"API server accepts pods that name alternatives": {
		Spec: "prioritized-list-alternatives-are-not-named",
		Want: []string{"a container must not name an alternative"},
	},
	"API server accepts alternatives without the feature": {
		Target: wrong.WithoutFeature(features.PrioritizedList), Spec: "prioritized-list-is-refused-without-feature",
		Want: []string{"alternatives: is accepted, and should be rejected because of spec.devices.requests[0]", "alternatives in a template: is accepted"},
	},
	"API server counts only devices of first alternatives": {
		Options: fakecluster.Options{Mistakes: fakecluster.MistakesOf(fakecluster.APIServerMistakes{ChargesFirst: true})},
		Spec:    "prioritized-list-needs-quota-for-each",
		Want:    []string{"the quota should count what each alternative of the claims needs"},
	},
	"API server counts devices of all alternatives of a class": {
		Options: wrong.With(fakecluster.APIServerMistakes{ChargesEach: true}), Spec: "prioritized-list-quota-counts-the-most",
		Want: []string{"the quota should count the most devices that claim one-list"},
	},
	"API server counts devices of the first request": {
		Options: wrong.With(fakecluster.APIServerMistakes{ChargesFirstRequest: true}), Spec: "prioritized-list-quota-counts-the-most",
		Want: []string{"the quota should count the most devices that claim two-lists"},
	},
	"API server counts one device for all": {
		Options: wrong.With(fakecluster.APIServerMistakes{ChargesOneForAll: true}), Spec: "prioritized-list-quota-counts-the-most",
		Want: []string{"the quota should count the most devices that claim all"},
	},
	"quota controller ignores deleted claims": {
		Options: misrecounts(func(before, _ int64) int64 { return before }), Spec: "prioritized-list-quota-counts-the-most",
		Want: []string{"the quota should count the most devices that the claims can be allocated that are left without claim all"},
	},
	"quota controller forgets the other claims": {
		Options: misrecounts(func(int64, int64) int64 { return 0 }), Spec: "prioritized-list-quota-counts-the-most",
		Want: []string{"the quota should count the most devices that the claims can be allocated that are left without claim all"},
	},
	"quota controller takes a claim for all devices for one device": {
		Options: misrecounts(func(before, _ int64) int64 { return before - 1 }), Spec: "prioritized-list-quota-counts-the-most",
		Want: []string{"the quota should count the most devices that the claims can be allocated that are left without claim all"},
	},
	"API server does not validate claims": {
		Spec: "prioritized-list-is-validated",
		Want: []string{
			"9 alternatives: is accepted, and should be rejected because of spec.devices.requests[0].firstAvailable",
			"33 selectors: is accepted", "two alternatives of one name: is accepted", "an alternative without a class: is accepted", "a negative count: is accepted",
			"neither exactly nor alternatives: is accepted", "admin access for an alternative: adminAccess should be dropped",
			"alternatives of an alternative: inner should be dropped", "a constraint for an unknown alternative: is accepted",
		},
	},
	"API server loses alternatives": {
		Options: wrong.Misstores("ResourceClaim", func(devices any) {
			for _, request := range devices.(map[string]any)["requests"].([]any) {
				delete(request.(map[string]any), "firstAvailable")
			}
		}),
		Spec: "prioritized-list-is-validated",
		Want: []string{"8 alternatives: spec.devices.requests[0].firstAvailable should have 8 items, and has 0"},
	},
	"API server does not convert versions": {
		Spec: "prioritized-list-in-every-version",
		Want: []string{"claim flat should exist in v1"},
	},
}

// misrecounts returns the options of a cluster whose quota controller counts incorrectly when a
// claim is deleted.
func misrecounts(count func(before, left int64) int64) fakecluster.Options {
	return wrong.With(fakecluster.ControllerMistakes{MisrecountsQuotas: count})
}
