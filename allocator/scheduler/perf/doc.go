// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package perf runs workloads of Kubernetes' scheduler_perf (test/integration/scheduler_perf) with kube-scheduler's
// plugin for Dynamic Resource Allocation and with ours, in sequence on the same machine, and compares the results.
//
// It is a separate Go module, so that the scheduler does not depend on kube-apiserver, which scheduler_perf runs in
// the same process. Compiling that takes minutes. Therefore "make test" and "make lint" exclude this module, and
// "make verify" vets it. "go test" in this folder runs its tests.
package perf
