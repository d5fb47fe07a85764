// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// SchedulerHasSeen waits until the scheduler has observed the pools of devices:
// it allocates each of the devices to a pod of the same name. A device of another
// pool would prove nothing, because a scheduler may observe slices in any order.
func SchedulerHasSeen(ctx context.Context, e *env.Env, s *simulated.Nodes, deviceNames ...string) {
	ginkgo.GinkgoHelper()
	for _, name := range deviceNames {
		pods.CreateWithRequests(ctx, e, name, fixture.RequestFor(s, name))
	}
	pods.WaitForScheduled(ctx, e, deviceNames...)
}

// PendingOnceSeen creates pods with claims of the same names, one after the other,
// until the scheduler reports that one of them is pending. It returns the name of
// that pod. Those before are deleted: the scheduler may not yet have observed the
// slices because of which their devices are not available.
func PendingOnceSeen(ctx context.Context, e *env.Env, name, because string, create func(pod string)) string {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until the scheduler allocates nothing to pods like " + name)
	n := 0
	pod := func() string { return fmt.Sprintf("%s-%d", name, n) }
	create(pod())
	gomega.Eventually(ctx, func(ctx context.Context) error {
		scheduled, err := pods.IsScheduled(ctx, e, pod())
		if err != nil || !scheduled {
			return err
		}
		allocated := claims.GetAllocation(ctx, e, pod())
		pods.DeleteWithClaim(ctx, e, pod())
		n++
		create(pod())
		return fmt.Errorf("a pod like %s was allocated %v", name, allocated.Results)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "a pod like %s should be pending, because %s", name, because)
	return pod()
}

// PublishLaterSlice publishes one more device on a node, and waits until it is
// allocated. Then the scheduler has probably observed what was published before.
// It is no proof, because a scheduler may observe slices in any order: whatever is
// expected next must be right in either case.
func PublishLaterSlice(ctx context.Context, e *env.Env, s *simulated.Nodes, node, name string) {
	ginkgo.GinkgoHelper()
	s.CreateSlices(ctx, resourceapi.ResourceSliceSpec{
		Pool: resourceapi.ResourcePool{Name: node + "-" + name}, NodeName: &node, Devices: fixture.Devices(name).Devices,
	})
	SchedulerHasSeen(ctx, e, s, name)
}
