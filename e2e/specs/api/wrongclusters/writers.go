// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongWriters are clusters whose API server lets others write the status of claims
// than those with the right, or not all of these.
var wrongWriters = wrong.Table{
	"everybody may write the status of devices": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) { w.Drivers = nil }), Spec: "device-status-needs-the-right",
		Want: []string{"should not be able to change status.devices of claim card"},
	},
	"any verb is sufficient": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) {
			eachRule(w, func(r *rbacv1.PolicyRule) { r.Verbs = append(r.Verbs, "arbitrary-node:update") })
		}),
		Spec: "device-status-needs-the-right", Want: []string{"account may-", "should not be able to change status.devices of claim card"},
	},
	"no account may write the status of devices": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) {
			eachRule(w, func(r *rbacv1.PolicyRule) { r.Verbs = nil })
		}),
		Spec: "device-status-needs-the-right", Want: []string{"account may-update should be able to write the status of the device"},
	},
	"drivers are not told apart": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) {
			eachRule(w, func(r *rbacv1.PolicyRule) { r.ResourceNames = nil })
		}),
		Spec: "device-status-of-other-drivers-is-refused", Want: []string{"account other-driver, which adds a status, should not be able to change status.devices"},
	},
	"only entries that are added need the right": {
		Options: misauthorizes(keepFirstWrites()), Spec: "device-status-of-other-drivers-is-refused",
		Want: []string{"account other-driver, which changes a status, should not be able to change status.devices"},
	},
	"nodes are not told apart": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) { w.OnNode = true }), Spec: "device-status-on-other-nodes-is-refused",
		Want: []string{"account on-the-node should not be able to change status.devices of claim there"},
	},
	"the right of a node has no effect": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) { w.OnNode = false }), Spec: "device-status-on-other-nodes-is-refused",
		Want: []string{"the account should be able to write the status of a device on its node"},
	},
	"drivers may reserve claims": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) { w.Allocates = false }), Spec: "reservation-needs-the-right",
		Want: []string{"account driver, which reserves the claim, should not be able to change status of claim card"},
	},
}

func misauthorizes(change func(*fakecluster.StatusWrite)) fakecluster.Options {
	return wrong.With(fakecluster.APIServerMistakes{Misauthorizes: change})
}

// eachRule changes copies of the rules on the synthetic subresource of drivers.
func eachRule(w *fakecluster.StatusWrite, change func(*rbacv1.PolicyRule)) {
	w.Rules = slices.Clone(w.Rules)
	for i := range w.Rules {
		if slices.Contains(w.Rules[i].Resources, "resourceclaims/driver") {
			w.Rules[i] = *w.Rules[i].DeepCopy()
			change(&w.Rules[i])
		}
	}
}

// keepFirstWrites lets all writes pass after the first one that was allowed.
func keepFirstWrites() func(*fakecluster.StatusWrite) {
	written := false
	return func(w *fakecluster.StatusWrite) {
		if written {
			w.Drivers = nil
		}
		for _, rule := range w.Rules {
			written = written || len(w.Drivers) > 0 && slices.Equal(rule.ResourceNames, w.Drivers)
		}
	}
}
