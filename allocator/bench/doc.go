// Package bench compares the speed of the allocator with that of Kubernetes.
//
// Run it with "go test -bench . -count 6 ./allocator/bench" and give the output
// to "benchstat -col /impl". BenchmarkExplain measures explanations, for which
// there is nothing to compare with.
package bench
