// Package change changes a running kind cluster: the releases of its components, their feature gates and its scheduler,
// one component after the other, so that pods and claims go on as they would in an upgrade of a real cluster.
//
// [Read] tells what runs, [State.Plan] which steps lead to what is wanted, and [Apply] takes them; [Reach] does the last
// two, and again if nothing but the API server could be changed at first. Nothing is remembered between these: the
// cluster is the state. A change that was interrupted is resumed by planning again, and undone by planning for the state
// of before with [State.PlanTo].
package change
