// Package allocator chooses devices for ResourceClaims: it finds the allocation that kube-scheduler would make, only
// faster, and it is a library that needs no cluster.
//
// # Use
//
// NewAllocator takes the place of structured.NewAllocator of k8s.io/dynamic-resource-allocation, with the same
// arguments and the same answers:
//
//	a, err := allocator.NewAllocator(ctx, features, allocatedState, classLister, slices, celCache)
//	results, err := a.Allocate(ctx, node, claims)
//
// Whoever allocates more than once keeps an Index and tells it when slices change. What was found out about a
// slice is kept as long as the slice:
//
//	index := allocator.NewIndex(allocator.Config{Features: features})
//	index.Update(slices)                        // whenever a ResourceSlice changed
//	a := index.Allocator(allocatedState, classes) // for each pod
//	ok, err := a.Fits(ctx, node, claims)         // for each node
//	results, err := a.Allocate(ctx, node, claims) // for the node that was chosen
//
// All of it is safe for concurrent use. Nothing that is passed in is modified, and nothing of it may be modified
// while it is in use: slices, nodes, claims and classes are known by their pointers, as informers hand them out.
//
// # Which allocation
//
// The first one in the order that Kubernetes documents for drivers since 1.36: pools by driver and pool name, those
// with binding conditions last; slices by name; devices as the slice lists them. Claims are allocated in the
// order given, requests in the order of the claim, alternatives in the order of preference; a device that makes
// a later request impossible is passed over. There is exactly one first allocation, so the answer does not depend
// on how it is found. Only the share IDs of devices that are allocated more than once are random.
//
// What holds, compared with the experimental variant of upstream's allocator in 1.37:
//   - where it finds an allocation, this package finds the same;
//   - where it finds none, neither does this package;
//   - where it returns an error, this package returns one with the same text, except for names of devices where
//     upstream's choice among several is random;
//   - where it runs out of time, this package answers;
//   - where upstream is known to be wrong, so is this package, unless Fixes says otherwise.
//
// A node is judged by its own view of the slices. Upstream keeps the counters of a pool from the node it saw first,
// which differs while a pool is being replaced and different nodes see different generations.
//
// # Sharing affinity
//
// With Config.SharingAffinity, slices may declare which values the claims that share a device must agree on
// (KEP-5981 in its revision 44f990de4), in an annotation as long as the API has no field for it:
//
//	index := allocator.NewIndex(allocator.Config{Features: features, SharingAffinity: true})
//	a := index.AllocatorWithAffinity(allocatedState, allocator.NewAffinityState(allocatedClaims), classes)
//
// AffinityState says how the values that a device is locked to are found. Within one call, the choice for one request
// locks the device for the others. Upstream knows nothing of this, and where no slice declares anything, nothing
// is different.
//
// # When there is no answer
//
// Finding devices is as hard as packing bins, so that a search can be longer than anyone wants to wait. Then
// Allocate returns an error that wraps ErrStepsExhausted, which concerns the one node, or the error of the context.
//
// # Why
//
// Explain says for the same arguments what Allocate answers and why: for each request how many devices match and are
// free, and what keeps the others away, down to the counter that lacks how much and the claims that hold it; which
// requests do not fit together; which pools are incomplete or invalid.
//
//	x, err := a.Explain(ctx, node, claims, allocator.WithHolders(allocator.HoldersOf(allocatedClaims)))
//	fmt.Print(x)                 // for people, with a picture of the counters
//	condition := x.Summary(1024) // one line
//
// The value has a stable JSON form, and its lists are bounded. Explain looks at every device and searches several times,
// with a bound on all of these searches together, so it is for the one node that somebody asks about.
//
// # How it works
//
// internal/pools turns slices into what a node sees: an ordered list of devices, 64 to a word, and counters as exact
// numbers. internal/selector evaluates CEL and compares attributes, once per device. internal/plan compiles claims.
// internal/search walks through the choices; its package documentation says how, and each of its prunings
// stands in a file of its own with a proof that it loses nothing.
//
// What is built on top of it finds its input here: search.Problem is the whole question for one node, search.Run
// answers it, pools.View says which pools are incomplete or invalid and why, and the tests a candidate has to
// pass are in search/candidate.go (by itself) and search/place.go (beside other choices). A further rule is one more
// step in place, with its state beside counters, ledgers, constraints and locks, and a part in signature (what
// makes devices different) and situation (what later choices can notice).
package allocator
