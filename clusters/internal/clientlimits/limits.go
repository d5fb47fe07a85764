// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package clientlimits limits how often components of a control plane ask the API server.
package clientlimits

// QPS is the number of requests per second of each controller and of the scheduler. Their
// own limits, of 20 and 50 a second, are for a cluster of one user. Here many specs run at
// the same time, each of which would wait for the claims and pods of all others.
const QPS = 500

// Burst is the number of requests at once after a while without any.
const Burst = 1000
