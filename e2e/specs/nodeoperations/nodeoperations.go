// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodeoperations has the specs of the profile node-operations: devices for
// which kubelets call no driver, or call it less often (KEP-5945).
package nodeoperations

import (
	"context"
	"embed"

	"github.com/onsi/ginkgo/v2"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

const profile = "node-operations"

// data contains objects that an API server must accept, reject or change.
//
//go:embed data/*.yaml
var data embed.FS

// operationFeatures are the features that specs of such devices need.
var operationFeatures = []features.Feature{features.Core, features.OptionalNodeOperations}

// Specs are the specs of the profile, in the order of execution.
var Specs = []suite.Spec{
	skippedOperationsNeedCapableNodes,
	skippedOperationsDecideAlternatives,
	skippedOperationsOfAllDevices,
	skippedOperationsKeepToCapableNodes,
	skippedOperationsAreRecorded,
	skippedOperationsNeedNoDriver,
	skippedOperationsOfSomeDevices,
	skippedOperationsAreValidated,
	skippedOperationsAreDropped,
}

// capable is the number of the only node of [createNodes] that declares the
// feature.
const capable = 1

// createNodes creates two nodes, of which the second one declares the feature, as
// a kubelet with the feature gate does.
func createNodes(ctx context.Context, e *env.Env) *simulated.Nodes {
	ginkgo.GinkgoHelper()
	return simulated.CreateNodes(ctx, e, 2, func(number int, node *corev1.Node) {
		if number == capable {
			node.Status.DeclaredFeatures = []string{"DRAOptionalNodeOperations"}
		}
	})
}

// publish publishes devices with these names for all nodes, in a pool of their
// own. Kubelets skip the given operations for them.
func publish(ctx context.Context, sim *simulated.Nodes, pool string, skip []resourceapi.SkipNodeOperation, names ...string) {
	ginkgo.GinkgoHelper()
	sim.CreateSlices(ctx, resourceapi.ResourceSliceSpec{
		Pool: resourceapi.ResourcePool{Name: pool}, AllNodes: ptr.To(true), SkipNodeOperations: skip, Devices: fixture.Devices(names...).Devices,
	})
}

// all are all operations of kubelets, and both are those that there are by their names.
var (
	all  = []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationAll}
	both = []resourceapi.SkipNodeOperation{resourceapi.SkipNodeOperationNodePrepareResources, resourceapi.SkipNodeOperationNodeUnprepareResources}
)
