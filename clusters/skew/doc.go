// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package skew describes which release of Kubernetes each component of a
// cluster runs, with which feature gates, and plans changes of them. A plan
// follows Kubernetes' version skew policy
// (kubernetes.io/releases/version-skew-policy). Package change carries it out.
package skew
