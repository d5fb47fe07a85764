package capacity

import (
	"context"
	"fmt"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// sharesNeed are the features that all specs of shared devices need.
var sharesNeed = []features.Feature{features.Core, features.SharedDevices}

// amounts are quantities by capacity.
type amounts map[resourceapi.QualifiedName]resource.Quantity

// shareOf returns a request for amounts of the device of a stage with this
// name.
func shareOf(s *simulated.Nodes, device string, want amounts) []devices.Request {
	requests := fixture.RequestFor(s, device)
	if len(want) > 0 {
		requests[0].Device.Capacity = want
	}
	return requests
}

// inMemory returns an amount of the capacity memory.
func inMemory(amount string) amounts { return amounts{"memory": resource.MustParse(amount)} }

// inSlots returns an amount of the capacity slots.
func inSlots(n int64) amounts { return amounts{"slots": *resource.NewQuantity(n, resource.DecimalSI)} }

// inBytes formats amounts in a canonical form, so that they can be compared.
func inBytes(of amounts) map[string]string {
	written := map[string]string{}
	for name, amount := range of {
		written[string(name)] = resource.NewQuantity(amount.Value(), resource.BinarySI).String()
	}
	return written
}

// getShares asserts that a pod is scheduled and that each allocation result of
// its claim has a share ID. It returns the results.
func getShares(ctx context.Context, e *env.Env, claim string) []resourceapi.DeviceRequestAllocationResult {
	ginkgo.GinkgoHelper()
	pods.WaitForScheduled(ctx, e, claim)
	results := claims.GetAllocation(ctx, e, claim).Results
	for _, result := range results {
		gomega.Expect(ptr.Deref(result.ShareID, "")).NotTo(gomega.BeEmpty(), "the share of device %s that claim %s has should have an id", result.Device, claim)
	}
	return results
}

// consumes asserts that a pod is scheduled, that its claim has a share of
// exactly one device, and how much capacity the share consumes.
func consumes(ctx context.Context, e *env.Env, claim string, want amounts) {
	ginkgo.GinkgoHelper()
	results := getShares(ctx, e, claim)
	gomega.Expect(results).To(gomega.HaveLen(1))
	gomega.Expect(inBytes(results[0].ConsumedCapacity)).To(gomega.Equal(inBytes(want)), fmt.Sprintf("what claim %s consumes of device %s", claim, results[0].Device))
}
