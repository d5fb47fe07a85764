// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import "github.com/draconform/draconform/e2e/internal/classiccluster"

// wrongServers are clusters with faults of the API server that do not concern all fields, or
// all changes, that a rule is for.
var wrongServers = map[string]Cluster{
	"API server mixes spec and status of contexts": {
		classiccluster.Mistakes{MixesParts: true}, "classic-context-has-two-writers", "a change of the spec should keep the answers",
	},
	"API server allows a user twice": {
		admits(classiccluster.UserTwice), "classic-reservations-are-limited", "a user twice should be rejected",
	},
	"API server allows to deallocate reserved claims": {
		admits(classiccluster.NotDeallocated), "classic-reservations-are-limited", "a reserved claim that is deallocated should be rejected",
	},
	"API server allows to replace users of deleted claims": {
		admits(classiccluster.NoOtherUsers), "classic-leaving-claim-gets-no-users", "another user of a deleted claim should be rejected",
	},
	"API server allows nodes that cannot exist": {
		admits(classiccluster.NodeName), "classic-node-lists-are-validated", "a potential node that cannot exist should be rejected",
	},
	"API server allows unsuitable nodes twice": {
		admits(classiccluster.UnsuitableTwice), "classic-node-lists-are-validated", "an unsuitable node twice should be rejected",
	},
	"API server allows any controller in templates": {
		admits(classiccluster.TemplateDriver), "classic-controller-name-is-validated", "a template whose controller is no name of a driver should be rejected",
	},
	"API server allows to change the controller": {
		admits(classiccluster.FixedSpec), "classic-controller-name-is-validated", "another controller should be rejected",
	},
	"API server allows any allocator": {
		admits(classiccluster.AllocatorName), "classic-controller-name-is-validated", "an allocation by a controller that is no name of a driver should be rejected",
	},
	"API server allows to change who has allocated a claim": {
		admits(classiccluster.ImmutableController), "classic-allocation-is-immutable", "an allocation by another should be rejected",
	},
	"API server allows to add devices to an allocation": {
		admits(classiccluster.ImmutableDevices), "classic-allocation-is-immutable", "an allocation with a device should be rejected",
	},
	"API server keeps fields of the status without the gate": {
		classiccluster.Mistakes{WithoutGate: true, KeepsStatus: true}, "classic-fields-need-gate", "status.allocation.controller of such a claim should be dropped",
	},
}
