// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package expect

import (
	"context"
	"fmt"
	"time"

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
// until one of them is pending for a while, and returns the name of that pod. Those
// before are deleted: a scheduler may observe slices and DeviceTaintRules later than
// the pods that are created afterwards (KEP-5055, Risks and Mitigations). It may also
// observe late that they are deleted, and a pod could wait for their devices, so that
// those after the first one must be pending for longer.
func PendingOnceSeen(ctx context.Context, e *env.Env, name, because string, create func(pod string)) string {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until the scheduler allocates nothing to pods like " + name)
	var pod string
	next, while := 0, e.Timeouts.Stable
	gomega.Eventually(ctx, func(ctx context.Context) error {
		pod = fmt.Sprintf("%s-%d", name, next)
		next++
		create(pod)
		if staysPending(ctx, e, pod, while) {
			return nil
		}
		while = 3 * e.Timeouts.Stable
		allocated := claims.GetAllocation(ctx, e, pod)
		// A kubelet may wait for a driver that does not run.
		pods.DeleteByForce(ctx, e, pod)
		claims.Delete(ctx, e, pod)
		return fmt.Errorf("claim %s was allocated %v", pod, allocated.Results)
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "a pod like %s should be pending, because %s", name, because)
	return pod
}

// staysPending waits until a pod is scheduled, and then returns false, or until the
// scheduler has reported for a while that it is not.
func staysPending(ctx context.Context, e *env.Env, pod string, while time.Duration) bool {
	ginkgo.GinkgoHelper()
	var scheduled bool
	var since time.Time
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		if scheduled, err = pods.IsScheduled(ctx, e, pod); err != nil || scheduled {
			return err
		}
		if since.IsZero() {
			since = time.Now()
		}
		if time.Since(since) < while {
			return fmt.Errorf("pod %s is pending, but perhaps not for long", pod)
		}
		return nil
	}).WithTimeout(e.Timeouts.Response + while).Should(gomega.Succeed())
	return !scheduled
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
