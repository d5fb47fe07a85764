// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package bench compares the speed of the allocator with that of Kubernetes.
//
// Run it with "go test -bench . -count 6 ./allocator/bench" and pass the output
// to "benchstat -col /impl". BenchmarkExplain measures explanations, which have
// no counterpart in Kubernetes.
package bench
