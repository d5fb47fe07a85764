// Package perf runs workloads of Kubernetes' scheduler_perf (test/integration/scheduler_perf) with kube-scheduler's own
// plugin for Dynamic Resource Allocation and with ours, one after the other on the same machine, and puts the results
// side by side.
//
// It is a Go module of its own, so that the scheduler does not depend on kube-apiserver, which scheduler_perf runs in
// the same process. Compiling that takes minutes: "make test" and "make lint" leave it out, "make verify" vets it, and "go test"
// here runs the tests of what is in this folder.
package perf
