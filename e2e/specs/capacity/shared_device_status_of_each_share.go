package capacity

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

var sharedDeviceStatusOfEachShare = suite.Spec{
	ID:           "shared-device-status-of-each-share",
	Description:  "Each share of a claim can have its own device status, and a share that the claim does not have cannot have one.",
	Profile:      profile,
	Features:     append([]features.Feature{features.DeviceStatus}, sharedDeviceFeatures...),
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5075-status-of-a-share"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Load(data, "nic.yaml"))
		shared := sim.Device("device.allowMultipleAllocations")
		pods.CreateWithRequests(ctx, e, "shares", []devices.Request{{Name: "up", Device: shared}, {Name: "down", Device: shared}})
		shares := waitForShares(ctx, e, "shares")
		gomega.Expect(shares).To(gomega.HaveLen(2), "a share for each request")

		expectStatusStored(ctx, e, statusOf(shares[0], metav1.ConditionTrue), statusOf(shares[1], metav1.ConditionFalse))
		expectStatusStored(ctx, e, statusOf(shares[0], metav1.ConditionFalse), statusOf(shares[1], metav1.ConditionTrue))

		wrong := statusOf(shares[0], metav1.ConditionTrue)
		wrong.ShareID = ptr.To("6d4dd9ab-9b3c-4b4e-8a0e-111111111111")
		expectStatusRejected(ctx, e, "an unknown share", wrong)
		wrong.ShareID = nil
		expectStatusRejected(ctx, e, "the device as a whole", wrong)
	},
}

// statusOf returns a status for a share that differs from the statuses of other
// shares.
func statusOf(share resourceapi.DeviceRequestAllocationResult, ready metav1.ConditionStatus) resourceapi.AllocatedDeviceStatus {
	return resourceapi.AllocatedDeviceStatus{
		Driver: share.Driver, Pool: share.Pool, Device: share.Device, ShareID: ptr.To(string(*share.ShareID)),
		Conditions: []metav1.Condition{{Type: "Ready", Status: ready, Reason: "Test", Message: "of request " + share.Request, LastTransitionTime: metav1.Now()}},
	}
}

// expectStatusStored asserts that the status of each share of the claim is
// stored as written.
func expectStatusStored(ctx context.Context, e *env.Env, written ...resourceapi.AllocatedDeviceStatus) {
	ginkgo.GinkgoHelper()
	gomega.Expect(claims.UpdateDeviceStatus(ctx, e, "shares", written...)).To(gomega.Succeed(), "the API server should accept the status of allocated shares")
	conditions := func(all []resourceapi.AllocatedDeviceStatus) map[string]string {
		found := map[string]string{}
		for _, device := range all {
			for _, c := range device.Conditions {
				found[ptr.Deref(device.ShareID, "no share")] += string(c.Status) + " " + c.Message
			}
		}
		return found
	}
	gomega.Expect(conditions(claims.GetDeviceStatus(ctx, e, "shares"))).To(gomega.Equal(conditions(written)), "each share should have the status that was written for it")
}

// expectStatusRejected asserts that the API server rejects a status for a
// device or share that is not allocated to the claim.
func expectStatusRejected(ctx context.Context, e *env.Env, what string, status resourceapi.AllocatedDeviceStatus) {
	ginkgo.GinkgoHelper()
	err := claims.UpdateDeviceStatus(ctx, e, "shares", status)
	gomega.Expect(dryrun.InvalidFields(err)).To(gomega.ContainElement(gomega.HavePrefix("status.devices")), "the API server should reject the status of %s as invalid: %v", what, err)
}
