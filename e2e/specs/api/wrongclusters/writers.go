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
	"the right to bind claims in one namespace is sufficient": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) { w.ClusterRules = slices.Concat(w.ClusterRules, w.Rules) }), Spec: "reservation-needs-the-right",
		Want: []string{"account binder-of-namespace, which reserves the claim, should not be able to change status of claim card"},
	},
	"the right to bind claims has no effect": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) { w.ClusterRules = nil }), Spec: "reservation-needs-the-right",
		Want: []string{"account binder should be able to reserve the claim"},
	},
	"the right to bind claims includes the status of devices": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) {
			if len(w.ClusterRules) > 0 {
				w.Drivers = nil
			}
		}),
		Spec: "reservation-needs-the-right", Want: []string{"account binder, which writes the status of a device, should not be able to change status.devices of claim card"},
	},
	"patches need no right": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) {
			if w.Verb == "patch" {
				w.Drivers = nil
			}
		}),
		Spec: "device-status-patch-needs-the-right", Want: []string{"account may-update, which sends a patch of the type application/merge-patch+json, should not be able to change status.devices of claim card"},
	},
	"patches need the right to update": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) { w.Verb = "update" }), Spec: "device-status-patch-needs-the-right",
		Want: []string{"account may-update, which sends a patch of the type application/merge-patch+json, should not be able to change status.devices of claim card"},
	},
	"the right to patch has no effect": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) {
			if w.Verb == "patch" && len(w.Drivers) > 0 {
				w.Rules = nil
			}
		}),
		Spec: "device-status-patch-needs-the-right", Want: []string{"account may-patch should be able to patch the status of the device"},
	},
	"the right to patch includes that to update": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) {
			eachRule(w, func(r *rbacv1.PolicyRule) {
				if slices.Contains(r.Verbs, "arbitrary-node:patch") {
					r.Verbs = []string{"arbitrary-node:patch", "arbitrary-node:update"}
				}
			})
		}),
		Spec: "device-status-patch-needs-the-right", Want: []string{"account may-patch, which updates the status, should not be able to change status.devices of claim card"},
	},
	"only the first driver needs the right": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) { w.Drivers = w.Drivers[:min(1, len(w.Drivers))] }), Spec: "device-status-of-each-driver-needs-the-right",
		Want: []string{"account of-cards, which changes the status of both drivers, should not be able to change status.devices of claim both"},
	},
	"only the last driver needs the right": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) { w.Drivers = w.Drivers[max(0, len(w.Drivers)-1):] }), Spec: "device-status-of-each-driver-needs-the-right",
		Want: []string{"account of-disks, which changes the status of both drivers, should not be able to change status.devices of claim both"},
	},
	"entries that stay need the right": {
		Options: misauthorizes(func(w *fakecluster.StatusWrite) {
			if len(w.Drivers) > 0 {
				w.Drivers = w.Entries
			}
		}),
		Spec: "device-status-of-each-driver-needs-the-right", Want: []string{"account of-cards should be able to change the status of its driver beside that of the other one"},
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
