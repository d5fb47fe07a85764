// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// SchedulerHasSeenSlices waits until the scheduler has observed everything that
// was published on a node so far. The scheduler observes slices in the order of
// publication, so it is sufficient to publish one more device and to wait until
// it is allocated.
func SchedulerHasSeenSlices(ctx context.Context, e *env.Env, s *simulated.Nodes, node, name string) {
	ginkgo.GinkgoHelper()
	s.CreateSlices(ctx, resourceapi.ResourceSliceSpec{
		Pool: resourceapi.ResourcePool{Name: node + "-" + name}, NodeName: &node, Devices: fixture.Devices(name).Devices,
	})
	pods.CreateWithRequests(ctx, e, name, fixture.RequestFor(s, name))
	pods.WaitForScheduled(ctx, e, name)
}
