// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env

// Component is the component that a spec tests.
type Component string

// The components that specs test.
const (
	Driver    Component = "driver"
	Kubelet   Component = "kubelet"
	Scheduler Component = "scheduler"
	Cluster   Component = "cluster"
	// ControllerManager creates claims from templates, reserves claims for pods
	// that are bound without a scheduler, deallocates claims, evicts pods from
	// devices with taints, and reports the status of pools.
	ControllerManager Component = "controller-manager"
)
