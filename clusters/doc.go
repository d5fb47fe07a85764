// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package clusters defines the Kubernetes releases that draconform supports and the combinations in which draconform
// tests them. Its subpackages create, access, change and remove clusters of those releases.
package clusters
