// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	"github.com/draconform/draconform/e2e/audit"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// GetDeviceIdentity returns the value of the attribute that identifies the
// shared device of a claim.
func GetDeviceIdentity(ctx context.Context, e *env.Env, claim string) string {
	ginkgo.GinkgoHelper()
	of := GetDevicesForRequest(ctx, e, claim, "device")
	gomega.Expect(of).To(gomega.HaveLen(1), "claim %s should have one device", claim)
	return devices.GetText(ctx, e, of[0], e.Subject.Shared.Identity)
}

// Get returns a claim of the spec.
func Get(ctx context.Context, e *env.Env, claim string) *resourceapi.ResourceClaim {
	ginkgo.GinkgoHelper()
	got, err := e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return got
}

// GetUID returns the UID of a claim.
func GetUID(ctx context.Context, e *env.Env, claim string) string {
	ginkgo.GinkgoHelper()
	return string(Get(ctx, e, claim).UID)
}

// GetAllocation returns the devices that a claim was allocated, with their
// configuration.
func GetAllocation(ctx context.Context, e *env.Env, claim string) resourceapi.DeviceAllocationResult {
	ginkgo.GinkgoHelper()
	got := Get(ctx, e, claim)
	gomega.Expect(got.Status.Allocation).NotTo(gomega.BeNil(), "claim %s of a running pod should be allocated", claim)
	return got.Status.Allocation.Devices
}

// WaitForAllocation waits until a claim is allocated to devices of which the
// status has not been written yet, and returns the allocation. Unlike
// [GetAllocation], it is for claims of pods that the scheduler has not bound.
func WaitForAllocation(ctx context.Context, e *env.Env, claim, because string) resourceapi.DeviceAllocationResult {
	ginkgo.GinkgoHelper()
	ginkgo.By("waiting until claim " + claim + " is allocated")
	var got *resourceapi.ResourceClaim
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		got, err = e.Client.ResourceV1().ResourceClaims(e.Namespace).Get(ctx, claim, metav1.GetOptions{})
		switch {
		case err != nil:
			return err
		case got.Status.Allocation == nil:
			return fmt.Errorf("claim %s is not allocated", claim)
		case len(got.Status.Devices) > 0:
			return fmt.Errorf("claim %s is still allocated %v, with the status of devices %v", claim, audit.Allocated(got), describe(got.Status.Devices))
		}
		return nil
	}).WithTimeout(e.Timeouts.PodStart).Should(gomega.Succeed(), "claim %s should be allocated, because %s", claim, because)
	return got.Status.Allocation.Devices
}

// GetNodesOfAllocation returns those of the given nodes that match the node
// selector of a claim's allocation (API AllocationResult.nodeSelector).
func GetNodesOfAllocation(ctx context.Context, e *env.Env, claim string, nodes []string) []string {
	ginkgo.GinkgoHelper()
	got := Get(ctx, e, claim)
	gomega.Expect(got.Status.Allocation).NotTo(gomega.BeNil(), "claim %s of a scheduled pod should be allocated", claim)
	if got.Status.Allocation.NodeSelector == nil {
		return nodes
	}
	selector, err := nodeaffinity.NewNodeSelector(got.Status.Allocation.NodeSelector)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), "the node selector of claim %s should be valid", claim)
	var selected []string
	for _, name := range nodes {
		node, err := e.Client.CoreV1().Nodes().Get(ctx, name, metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		if selector.Match(node) {
			selected = append(selected, name)
		}
	}
	return selected
}

// GetDevicesForRequest returns the devices that a claim was allocated for one
// of its requests, or for a subrequest of this request.
func GetDevicesForRequest(ctx context.Context, e *env.Env, claim, request string) []audit.DeviceID {
	ginkgo.GinkgoHelper()
	var devices []audit.DeviceID
	for _, r := range GetAllocation(ctx, e, claim).Results {
		if of, _, _ := strings.Cut(r.Request, "/"); of == request {
			devices = append(devices, audit.DeviceID{Driver: r.Driver, Pool: r.Pool, Device: r.Device})
		}
	}
	return devices
}

// getEach returns those of the claims that exist, by name.
func getEach(ctx context.Context, e *env.Env, names []string) (map[string]*resourceapi.ResourceClaim, error) {
	items := func(list *resourceapi.ResourceClaimList) []resourceapi.ResourceClaim { return list.Items }
	existing, err := env.GetExisting(ctx, e.Client.ResourceV1().ResourceClaims(e.Namespace), names, items)
	if err != nil {
		return nil, fmt.Errorf("get claims %s of namespace %s: %w", strings.Join(names, ", "), e.Namespace, err)
	}
	return existing, nil
}
