// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package scheduler is a plugin for kube-scheduler that allocates ResourceClaims with the bundled allocator. It
// replaces the plugin DynamicResources.
//
// It is compatible with DynamicResources in everything that other components observe: what is written to claims and
// pods, in which order, and how the framework's SharedDRAManager is updated. It deliberately differs in the
// following:
//   - PreFilter returns only the nodes that have devices, if all devices are bound to nodes;
//   - a node whose search exceeds its time or its steps is unschedulable; the other nodes are still considered;
//   - Filter determines whether devices are available, Reserve picks them for the selected node;
//   - the allocated state is not collected for each pod; it is looked up by pool when a node with devices of that
//     pool is searched;
//   - an allocation is no longer in flight once it is in the claim's status, so that its capacity does not count
//     twice while PreBind waits for binding conditions;
//   - deallocating a claim in PostFilter prevents preemption, which would evict pods without need;
//   - pods are requeued when another pod releases devices because it could not be bound.
//
// Devices whose slice declares a sharing affinity (KEP-5981) are allocated only to claims that state the same
// affinity values. The claims themselves are the locks, from Reserve on. Deallocating a claim releases its locks, and
// a scheduler that starts reads the locks from the API server. An allocation that was written for a pod which then
// could not be bound is kept, and so is its lock, until the pod is scheduled or the claim is deallocated.
//
// The condition PodScheduled and the event summarize why a pod found no devices. The full explanation is available at
// an address of the scheduler; see Args.
//
// Claims of PodGroups and node-allocatable resources are not implemented. Pods that need them are unschedulable with
// a status that states so.
package scheduler
