// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"
	"encoding/json"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// statusFeatures are the features that specs of the status of devices need.
var statusFeatures = []features.Feature{features.Core, features.DeviceStatus}

// allocateCards allocates a device to each of several claims, on a node each. Their
// names are those of the claims and of their pods.
func allocateCards(ctx context.Context, e *env.Env, names ...string) *simulated.Nodes {
	ginkgo.GinkgoHelper()
	sim := simulated.CreateNodes(ctx, e, len(names))
	for i, name := range names {
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[i]}, fixture.Devices(name))
		pods.CreateWithRequests(ctx, e, name, fixture.RequestFor(sim, name))
	}
	pods.WaitForScheduled(ctx, e, names...)
	return sim
}

// report returns a change that makes a status the only one of a claim, or removes
// all without any.
func report(of ...resourceapi.AllocatedDeviceStatus) func(*resourceapi.ResourceClaimStatus) {
	return func(status *resourceapi.ResourceClaimStatus) { status.Devices = of }
}

// toJSON returns a part of an object as JSON has it.
func toJSON(part any) (decoded any) {
	ginkgo.GinkgoHelper()
	content, err := json.Marshal(part)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(json.Unmarshal(content, &decoded)).To(gomega.Succeed())
	return decoded
}
