// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
	"github.com/draconform/draconform/e2e/suite"
)

// wrongPreferences are clusters whose schedulers do not prefer the nodes where lists get
// earlier subrequests.
var wrongPreferences = wrong.Table{
	"scheduler does not prefer nodes with the first alternative": {
		Options: seesFirstNodeFor("first-"),
		Spec:    "prioritized-list-prefers-nodes-with-first",
		Want:    []string{"pods first on the node with their preferred device, because one node has the first alternative: 1 of 4 should be"},
	},
	"scheduler prefers only nodes with the first alternative": {
		Options: seesFirstNodeFor("second-"),
		Spec:    "prioritized-list-prefers-nodes-with-first",
		Want:    []string{"pods second on the node with their preferred device, because no node has the first alternative and one has the second: 1 of 4 should be"},
	},
	"scheduler prefers nodes by the first list only": {
		Options: seesFirstNodeFor("last-list-"),
		Spec:    "prioritized-list-prefers-nodes-with-first",
		Want:    []string{"pods last-list on the node with their preferred device", "1 of 4 should be"},
	},
	"scheduler prefers nodes by the list of the last claim only": {
		Options: wrong.With(fakecluster.SchedulerMistakes{ScoresLastClaimOnly: true}), Spec: "prioritized-list-prefers-nodes-for-each-claim",
		Want: []string{"pods first-claim on the node with the device that their list prefers: 2 of 8 should be"},
	},
	"scheduler prefers nodes by the list of the first claim only": {
		Options: seesFirstNodeFor("last-claim-"),
		Spec:    "prioritized-list-prefers-nodes-for-each-claim",
		Want:    []string{"pods last-claim on the node with the device that their list prefers: 2 of 8 should be"},
	},
	"scheduler does not prefer nodes by the lists of later claims": {
		Options: seesFirstNodeFor("last-claim-"),
		Spec:    "prioritized-list-prefers-nodes-with-first",
		Want:    []string{"pods last-claim on the node with their preferred device", "1 of 4 should be"},
	},
	"scheduler prefers nodes with more devices of a list": {
		Options: seesFirstNodeFor("few-before-many-"),
		Spec:    "prioritized-list-prefers-nodes-with-first",
		Want:    []string{"pods few-before-many on the node with their preferred device", "1 of 4 should be"},
	},
	"scheduler finds no node for pods with claims that are allocated already": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Pod.Spec.ResourceClaims) > len(s.Claims) {
				s.Nodes = nil
			}
		}),
		Spec: "prioritized-list-goes-with-allocated-claims",
		Want: []string{"while waiting until pod pod-0 is scheduled"},
	},
	"scheduler has no preference for pods with claims that are allocated already": {
		Options: wrong.Misreads(func(s *fakecluster.Scene) {
			if len(s.Pod.Spec.ResourceClaims) > len(s.Claims) {
				s.Nodes = s.Nodes[:1]
			}
		}),
		Spec: "prioritized-list-goes-with-allocated-claims",
		Want: []string{"pods on the node with their preferred device: 1 of 4 should be"},
	},
}

// seesFirstNodeFor lets the scheduler see only the first node that it may choose for pods
// whose names begin like this, so that it does not choose the preferred one.
func seesFirstNodeFor(prefix string) fakecluster.Options {
	return wrong.Misreads(func(s *fakecluster.Scene) {
		if strings.HasPrefix(s.Pod.Name, prefix) {
			s.Nodes = s.Nodes[:min(len(s.Nodes), 1)]
		}
	})
}

// withoutPreferences are clusters whose schedulers prefer no node because of a list, by the
// spec that finds it.
var withoutPreferences = map[string][]string{
	"prioritized-list-prefers-nodes-with-first":     {"pods first on the node with their preferred device", "pods few-before-many"},
	"prioritized-list-prefers-nodes-for-each-claim": {"pods first-claim", "pods last-claim"},
	"prioritized-list-goes-with-allocated-claims":   {"pods on the node with their preferred device: 1 of 4"},
}

// preferring returns the clusters without preferences. Those of known schedulers are wrong.
func preferring(foreign bool) wrong.Table {
	all, scheduler := wrong.Table{}, "scheduler"
	if foreign {
		scheduler = "foreign scheduler"
	}
	for spec, want := range withoutPreferences {
		c := wrong.Cluster{Options: prefersNothing, Spec: spec, Want: append([]string{"the scheduler should prefer nodes with earlier alternatives"}, want...)}
		if foreign {
			c.Options.ForeignScheduler, c.Outcome = true, suite.NotApplicable
			c.Want[0] = "needs a scheduler that prefers nodes with earlier alternatives: "
		}
		all[scheduler+" prefers no nodes, which "+spec+" finds"] = c
	}
	return all
}

// prefersNothing is a cluster whose scheduler takes the first node that fits a pod with a list.
var prefersNothing = wrong.Misreads(func(s *fakecluster.Scene) {
	hasList := slices.ContainsFunc(s.Claims, func(c *resourceapi.ResourceClaim) bool {
		return slices.ContainsFunc(c.Spec.Devices.Requests, func(r resourceapi.DeviceRequest) bool { return len(r.FirstAvailable) > 0 })
	})
	if hasList {
		s.Nodes = s.Nodes[:min(len(s.Nodes), 1)]
	}
})
