// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package kind creates, finds and removes kind clusters for Dynamic Resource
// Allocation. A cluster has a supported release and a set of DRA feature gates.
// Every container is labelled with the run that it belongs to.
package kind
