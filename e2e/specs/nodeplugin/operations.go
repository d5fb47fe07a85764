// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package nodeplugin

import (
	"context"
	"fmt"
	"slices"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/nodeagent"
)

// A kubelet does not call a driver for devices that skip node operations, and
// such a driver need not serve calls (KEP-5945).
const skipped = "have skipNodeOperations, so that the kubelet does not call the driver"

// skips reports whether the kubelet does not call a driver to prepare devices.
func skips(operations []resourceapi.SkipNodeOperation) bool {
	return slices.ContainsFunc(operations, func(o resourceapi.SkipNodeOperation) bool { return o == "*" || o == "NodePrepareResources" })
}

// expectNodeOperations ends the spec as not applicable if all devices that the
// driver offers on the node skip node operations.
func (d deviceOnNode) expectNodeOperations(ctx context.Context, e *env.Env) {
	ginkgo.GinkgoHelper()
	published, err := devices.ListSlices(ctx, e, d.Driver)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	isCalled := slices.ContainsFunc(published, func(s resourceapi.ResourceSlice) bool {
		return ptr.Deref(s.Spec.NodeName, d.plugin.Node) == d.plugin.Node && len(s.Spec.Devices) > 0 && !skips(s.Spec.SkipNodeOperations)
	})
	if !isCalled {
		env.ExpectCapability(e, d.Driver, subject.NodeOperations, fmt.Sprintf("all devices of node %s %s", d.plugin.Node, skipped))
	}
}

// expectCalls ends the spec as not applicable if all devices of the driver in an
// allocated claim skip node operations.
func (d deviceOnNode) expectCalls(e *env.Env, claim nodeagent.Claim) {
	ginkgo.GinkgoHelper()
	isCalled := slices.ContainsFunc(claim.Results, func(r resourceapi.DeviceRequestAllocationResult) bool {
		return r.Driver == d.Driver && !skips(r.SkipNodeOperations)
	})
	if !isCalled {
		env.ExpectCapability(e, d.Driver, subject.NodeOperations, fmt.Sprintf("the devices of claim %s %s", claim.Name, skipped))
	}
}
