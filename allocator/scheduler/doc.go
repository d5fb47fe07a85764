// Package scheduler is a plugin for kube-scheduler that allocates ResourceClaims with the bundled allocator, in
// place of the plugin DynamicResources.
//
// It keeps DynamicResources' side of everything that other components see: what is written to claims and pods, in
// which order, and what the framework's SharedDRAManager is told. On purpose it differs in these:
//   - PreFilter names the nodes that have devices at all, if devices are bound to nodes;
//   - a node that exhausts the time or the steps of its search is unschedulable, the pod is not given up;
//   - Filter decides whether devices can be had, Reserve decides which, for the one node that was picked;
//   - what is allocated is not gathered for each pod, but looked up by pool when a node with devices of it is searched;
//   - an allocation is no longer in flight once it is in the claim's status, so that no capacity counts twice
//     while PreBind waits for binding conditions;
//   - freeing a claim in PostFilter stops preemption, which would evict pods for nothing;
//   - pods are tried again when another pod gives back devices because it could not be bound.
//
// Devices whose slice declares a sharing affinity (KEP-5981) go only to claims that state the same values. The claims
// themselves are the locks, from Reserve on: what gives a claim's devices back releases them, and a scheduler that
// starts finds them in the API server. An allocation that was written for a pod which could not be bound stays, and so does its lock,
// until the pod is scheduled or the claim is deallocated.
//
// Why a pod found no devices is told in its condition PodScheduled and in the event, in short, and on demand in full at
// an address of the scheduler; see Args.
//
// Claims of PodGroups and node-allocatable resources are not implemented. Pods that need them are refused with a
// status that says so.
package scheduler
