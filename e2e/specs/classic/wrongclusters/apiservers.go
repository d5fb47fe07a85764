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
	"API server allows unknown operators in classes": {
		admits(classiccluster.ClassNodes), "classic-objects-are-validated", "an unknown operator in the nodes of a class should be rejected",
	},
	"API server allows classes with nodes without a term": {
		admits(classiccluster.ClassNoTerm), "classic-objects-are-validated", "a class with nodes without a term should be rejected",
	},
	"API server keeps the status of new claims": {
		admits(classiccluster.NewStatus), "classic-objects-are-validated", "the status of a new claim should be dropped",
	},
	"API server allows unknown operators in allocations": {
		admits(classiccluster.AllocatedNodes), "classic-objects-are-validated", "an unknown operator in the nodes of an allocation should be rejected",
	},
	"API server allows devices of other requests": {
		admits(classiccluster.ResultRequest), "classic-objects-are-validated", "an allocation with an invalid results[0].request should be rejected",
	},
	"API server allows devices of any driver": {
		admits(classiccluster.ResultDriver), "classic-objects-are-validated", "an allocation with an invalid results[0].driver should be rejected",
	},
	"API server allows devices of any pool": {
		admits(classiccluster.ResultPool), "classic-objects-are-validated", "an allocation with an invalid results[0].pool should be rejected",
	},
	"API server allows any name of a device": {
		admits(classiccluster.ResultDevice), "classic-objects-are-validated", "an allocation with an invalid results[0].device should be rejected",
	},
	"API server allows users of no resource": {
		admits(classiccluster.UserResource), "classic-objects-are-validated", "a reservation without all fields should be rejected",
	},
	"API server allows users without a name": {
		admits(classiccluster.UserName), "classic-objects-are-validated", "a reservation without all fields should be rejected",
	},
	"API server allows users without a UID": {
		admits(classiccluster.UserUID), "classic-objects-are-validated", "a reservation without all fields should be rejected",
	},
	"API server keeps fields of the status without the gate": {
		classiccluster.Mistakes{WithoutGate: true, KeepsStatus: true}, "classic-fields-need-gate", "status.allocation.controller of such a claim should be dropped",
	},
}
