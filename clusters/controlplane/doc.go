// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package controlplane runs a Kubernetes control plane as processes of this machine:
// etcd, kube-apiserver, kube-controller-manager and a scheduler. It needs no
// container engine and no root. There are no kubelets: nodes are Node objects.
package controlplane
