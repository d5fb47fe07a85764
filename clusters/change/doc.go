// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package change changes a running kind cluster: the releases of its components, their feature gates and its
// scheduler. It changes one component after the other, so that the cluster's pods and claims experience the upgrade
// like in a real cluster.
//
// [Read] returns the running configuration, [skew.State.Plan] the steps to the wanted configuration, and [Apply] applies
// the steps. [Reach] plans and applies the steps, and repeats this if only the API server could be changed at first.
// No information is stored between these calls: the cluster is the state. To resume an interrupted change, plan
// again. To undo it, plan for the previous state with [skew.State.PlanTo].
package change
