// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package adminaccess

import (
	"context"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// adminAccessInStatusNeedsLabel creates an ordinary claim for two devices and states in its
// status, in dry runs, that it is allocated the last one with admin access, while the label of
// its namespace changes.
var adminAccessInStatusNeedsLabel = suite.Spec{
	ID:           "admin-access-in-status-needs-label",
	Description:  "The API server accepts allocations with admin access in the status of claims only in namespaces with the label resource.kubernetes.io/admin-access and its value true, also for claims that do not request it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     adminFeatures,
	Component:    env.Cluster,
	Needs:        adminNeeds,
	Requirements: []string{"5018-label-for-status"},
	Body: func(ctx context.Context, e *env.Env) {
		const name = "ordinary"
		_, err := claims.Create(ctx, e, name, devices.NewDeviceClaim([]devices.Request{{Name: anyDevice[0].Name, Device: anyDevice[0].Device, Count: 2}}))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		of := func(device string, admin *bool) resourceapi.DeviceRequestAllocationResult {
			return resourceapi.DeviceRequestAllocationResult{Request: anyDevice[0].Name, Driver: "try.draconform.dev", Pool: "pool", Device: device, AdminAccess: admin}
		}
		stated := []resourceapi.DeviceRequestAllocationResult{of("first", nil), of("last", ptr.To(true))}
		expectNeedsLabel(ctx, e, "status", func(ctx context.Context) error {
			client := e.Client.ResourceV1().ResourceClaims(e.Namespace)
			claim, err := client.Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return err
			}
			claim.Status.Allocation = &resourceapi.AllocationResult{Devices: resourceapi.DeviceAllocationResult{Results: stated}}
			_, err = client.UpdateStatus(ctx, claim, metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
			return err
		})
	},
}
