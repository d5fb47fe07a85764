// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package gates contains the feature gates of Dynamic Resource Allocation in every supported Kubernetes release. It
// converts the name of a set of feature gates into the configuration of a cluster.
package gates
