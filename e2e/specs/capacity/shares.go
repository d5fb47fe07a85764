// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package capacity

import (
	"context"
	"fmt"
	"maps"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// amounts are quantities by capacity.
type amounts map[resourceapi.QualifiedName]resource.Quantity

// requestShare returns a request for amounts of the device with this name.
func requestShare(s *simulated.Nodes, device string, want amounts) []devices.Request {
	requests := fixture.RequestFor(s, device)
	if len(want) > 0 {
		requests[0].Device.Capacity = want
	}
	return requests
}

// memory returns an amount of the capacity memory.
func memory(amount string) amounts { return amounts{"memory": resource.MustParse(amount)} }

// slots returns an amount of the capacity slots.
func slots(n int64) amounts { return amounts{"slots": *resource.NewQuantity(n, resource.DecimalSI)} }

// slotsAndMemory returns amounts of the capacities slots and memory.
func slotsAndMemory(n int64, amount string) amounts {
	all := slots(n)
	maps.Copy(all, memory(amount))
	return all
}

// canonical formats amounts in a canonical form, so that they can be compared.
func canonical(all amounts) map[string]string {
	written := map[string]string{}
	for name, amount := range all {
		written[string(name)] = resource.NewQuantity(amount.Value(), resource.BinarySI).String()
	}
	return written
}

// inThousandths formats amounts in whole thousandths, so that they can be
// compared.
func inThousandths(all amounts) map[string]string {
	written := map[string]string{}
	for name, amount := range all {
		written[string(name)] = resource.NewMilliQuantity(amount.MilliValue(), resource.DecimalSI).String()
	}
	return written
}

// waitForShares asserts that a pod is scheduled and that each allocation result
// of its claim has a share ID. It returns the results.
func waitForShares(ctx context.Context, e *env.Env, claim string) []resourceapi.DeviceRequestAllocationResult {
	ginkgo.GinkgoHelper()
	pods.WaitForScheduled(ctx, e, claim)
	results := claims.GetAllocation(ctx, e, claim).Results
	for _, result := range results {
		gomega.Expect(ptr.Deref(result.ShareID, "")).NotTo(gomega.BeEmpty(), "the share of device %s that claim %s has should have an id", result.Device, claim)
	}
	return results
}

// expectConsumed asserts that a pod is scheduled, that its claim has a share of
// exactly one device, and how much capacity the share consumes.
func expectConsumed(ctx context.Context, e *env.Env, claim string, want amounts) {
	ginkgo.GinkgoHelper()
	results := waitForShares(ctx, e, claim)
	gomega.Expect(results).To(gomega.HaveLen(1), "claim %s, which has one request for one share, should have one share of a device", claim)
	gomega.Expect(canonical(results[0].ConsumedCapacity)).To(gomega.Equal(canonical(want)), fmt.Sprintf("the capacity that claim %s consumes of device %s", claim, results[0].Device))
}

// expectConsumedThousandths asserts the same as [expectConsumed] of an amount that
// need not be a whole number.
func expectConsumedThousandths(ctx context.Context, e *env.Env, claim string, want amounts) {
	ginkgo.GinkgoHelper()
	results := waitForShares(ctx, e, claim)
	gomega.Expect(results).To(gomega.HaveLen(1), "claim %s, which has one request for one share, should have one share of a device", claim)
	gomega.Expect(inThousandths(results[0].ConsumedCapacity)).To(gomega.Equal(inThousandths(want)), fmt.Sprintf("the capacity that claim %s consumes of device %s", claim, results[0].Device))
}
