// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package allocator chooses devices for ResourceClaims. It finds the allocation that kube-scheduler would make, but
// faster. It is a library and needs no cluster.
//
// # Use
//
// NewAllocator replaces structured.NewAllocator of k8s.io/dynamic-resource-allocation. It takes the same arguments
// and returns the same results:
//
//	a, err := allocator.NewAllocator(ctx, features, allocatedState, classLister, slices, celCache)
//	results, err := a.Allocate(ctx, node, claims)
//
// Callers that allocate more than once keep an Index and update it when slices change. Results that were computed
// for a slice are kept as long as the slice:
//
//	index := allocator.NewIndex(allocator.Config{Features: features})
//	index.Update(slices)                        // whenever a ResourceSlice changed
//	a := index.Allocator(allocatedState, classes) // for each pod
//	ok, err := a.Fits(ctx, node, claims)         // for each node
//	results, err := a.Allocate(ctx, node, claims) // for the node that was chosen
//
// All types are safe for concurrent use. The package does not modify its arguments. The caller must not modify them
// while they are in use, because slices, nodes, claims and classes are identified by their pointers, as informers
// return them.
//
// # Which allocation
//
// The package returns the first allocation in the order that Kubernetes documents for drivers since 1.36: pools by
// driver and pool name with binding conditions last, slices by name, devices as the slice lists them. Claims are
// allocated in the given order, requests in the order of the claim, subrequests in the order of preference. A device
// that makes a later request impossible is skipped. There is exactly one first allocation, so the result does not
// depend on the way in which it is found. Only the share IDs of devices with multiple allocations are random.
//
// Compared with the experimental variant of the upstream allocator in 1.37:
//   - Where it finds an allocation, this package finds the same.
//   - Where it finds none, this package finds none.
//   - Where it returns an error, this package returns an error with the same text, except for device names where
//     the choice of upstream among several devices is random.
//   - Where it runs out of time, this package returns a result.
//   - Where upstream has a known bug, this package has the same bug, unless Fixes is set.
//
// A node is evaluated with its own view of the slices. Upstream keeps the counters of a pool from the first node
// that it evaluates. The two differ while a pool is replaced and nodes see different generations.
//
// # Sharing affinity
//
// With Config.SharingAffinity, slices may declare the values on which the claims that share a device must agree
// (KEP-5981 in its revision 44f990de4). They use an annotation as long as the API has no field for it:
//
//	index := allocator.NewIndex(allocator.Config{Features: features, SharingAffinity: true})
//	a := index.AllocatorWithAffinity(allocatedState, allocator.NewAffinityState(allocatedClaims), classes)
//
// AffinityState documents how the values to which a device is locked are determined. Within one call, the choice for
// one request locks the device for the other requests. Upstream does not implement sharing affinity. If no slice
// declares it, results do not change.
//
// # When there is no answer
//
// Allocating devices is as hard as bin packing, so a search can take too long. Allocate then returns an error that
// wraps ErrStepsExhausted, which concerns a single node, or the error of the context.
//
// # Why
//
// Explain reports the result of Allocate for the same arguments and the reasons for it. For each request it reports
// how many devices match, how many are free, and why the others are excluded, including the missing amount of a
// counter and the claims that hold it. It also reports which requests do not fit together and which pools are
// incomplete or invalid.
//
//	x, err := a.Explain(ctx, node, claims, explain.HoldersOf(allocatedClaims))
//	fmt.Print(x)                 // for people, with a picture of the counters
//	condition := x.Summary(1024) // one line
//
// Package explain contains the types of the result. The result has a stable JSON form, and its lists are bounded.
// Explain evaluates every device and searches several times, with a bound on all of these searches together. It is
// meant for a single node that a user investigates.
//
// # How it works
//
// internal/pools converts slices to the view of a node: an ordered list of devices, 64 to a word, and counters as
// exact numbers. internal/selector evaluates CEL and compares attributes, once per device. internal/plan compiles
// claims. internal/search walks through the choices. Its package documentation describes the algorithm. Each of its
// prunings is in a separate file with a proof that it loses no solution. internal/testkit contains what only tests
// and benchmarks use.
//
// Extensions use these entry points: search.Problem is the complete question for one node, search.Run answers it,
// and pools.View reports which pools are incomplete or invalid and why. The checks of a candidate are in
// search/candidate.go (checks of the device alone) and search/place.go (checks against other choices). A new rule is
// another step in place. Its state is kept next to counters, ledgers, constraints and locks. It also needs a part in
// signature (what distinguishes devices) and in situation (what later choices can observe).
package allocator
