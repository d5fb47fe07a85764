// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/namespaces"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// adminAndStatusOff disables two features that cannot be disabled in later releases.
const adminAndStatusOff = "DRAAdminAccess=false,DRAResourceClaimDeviceStatus=false"

// gateOfAdminAccessOffAndOn also disables the status of devices, so that the components
// have to be restarted only once.
var gateOfAdminAccessOffAndOn = suite.Spec{
	ID: "gate-of-admin-access-off-and-on",
	Description: "While admin access is disabled, pods that have it keep it, stored claims for it are not allocated, and none are generated from " +
		"stored templates. While the status of devices is disabled, the API server keeps what it has, and stores none for other claims.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.AdminAccess, features.DeviceStatus},
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5018-off-allocates-nothing", "5018-off-generates-no-claims", "4817-off-drops-status"},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: "1.35", Gates: "default", Scheduler: skew.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var n *gpuNodes
			withAdminAccess := func() resourceapi.DeviceClaim { return devices.WithAdminAccess(devices.NewDeviceClaim(n.plain())) }
			return []journey.Step{
				{Text: "a monitor has access to a device in use, whose status is stored", Do: func(ctx context.Context, r *journey.Run) {
					namespaces.AllowAdminAccess(ctx, r.Env)
					n = createPlainNodes(ctx, r, 1)
					createScheduledPod(ctx, r, "user", n.plain())
					gomega.Expect(claims.UpdateDeviceStatus(ctx, r.Env, "user", claims.ReadyStatus(ctx, r.Env, "user", "the driver says so"))).To(gomega.Succeed())
					r.CheckAfterEachStep(ctx, "user")
					pods.CreateWithClaim(ctx, r.Env, "monitor", withAdminAccess())
					pods.WaitForScheduled(ctx, r.Env, "monitor")
					r.CheckAfterEachStep(ctx, "monitor")
					_, err := claims.Create(ctx, r.Env, "stored", withAdminAccess())
					gomega.Expect(err).NotTo(gomega.HaveOccurred())
					claims.CreateTemplate(ctx, r.Env, "for-admins", withAdminAccess())
					claims.CreateTemplate(ctx, r.Env, "for-users", devices.NewDeviceClaim(n.plain()))
				}},
				{Text: "the gates are disabled: there is no new admin access, and no new status", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, adminAndStatusOff, controlPlane...)
					pods.CreateUsingClaims(ctx, r.Env, "late", pods.Options{}, "stored")
					pods.CreateFromClaimTemplate(ctx, r.Env, "generated", "for-admins", "")
					pods.CreateFromClaimTemplate(ctx, r.Env, "generated-later", "for-users", "")
					createCheckedPod(ctx, r, "plain", n.plain())
					pods.WaitForScheduled(ctx, r.Env, "generated-later")
					pods.WaitForPending(ctx, r.Env, "the scheduler does not support admin access", "late")
					pods.ExpectNotBound(ctx, r.Env, "generated", "its claim cannot be generated")
					expectNoGeneratedClaim(ctx, r, "generated")
					gomega.Expect(claims.UpdateDeviceStatus(ctx, r.Env, "plain", claims.ReadyStatus(ctx, r.Env, "plain", "the driver says so"))).To(gomega.Succeed())
					claims.ExpectNoDeviceStatus(ctx, r.Env, "plain")
					gomega.Expect(claims.GetDeviceStatus(ctx, r.Env, "user")).To(gomega.HaveLen(1), "the API server should keep the status that it has")
				}},
				{Text: "the gates are enabled: waiting pods get admin access, and a status is stored", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", controlPlane...)
					pods.WaitForScheduled(ctx, r.Env, "late", "generated")
					gomega.Expect(claims.UpdateDeviceStatus(ctx, r.Env, "plain", claims.ReadyStatus(ctx, r.Env, "plain", "the driver says so"))).To(gomega.Succeed())
					gomega.Expect(claims.GetDeviceStatus(ctx, r.Env, "plain")).To(gomega.HaveLen(1), "the API server should store the status of an allocated device")
				}},
			}
		},
	},
}

// expectNoGeneratedClaim asserts that no claim is generated for a pod.
func expectNoGeneratedClaim(ctx context.Context, r *journey.Run, pod string) {
	ginkgo.GinkgoHelper()
	got, err := r.Client.CoreV1().Pods(r.Namespace).Get(ctx, pod, metav1.GetOptions{})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	gomega.Expect(got.Status.ResourceClaimStatuses).To(gomega.BeEmpty(), "no claim should be generated for pod %s", pod)
}
