// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// reservationKeepsTheRest writes the status of an allocated device and an
// annotation into a claim, as drivers and users do. Then a second pod uses the
// claim.
var reservationKeepsTheRest = suite.Spec{
	ID:           "reservation-keeps-the-rest",
	Description:  "When a claim is reserved for one more pod, the status of its devices, its allocation and its metadata stay as they are.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     statusFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4817-reservations-keep-status"},
	Body: func(ctx context.Context, e *env.Env) {
		allocateCards(ctx, e, "card")
		client := e.Client.ResourceV1().ResourceClaims(e.Namespace)
		_, err := client.Patch(ctx, "card", types.MergePatchType, []byte(`{"metadata":{"annotations":{"draconform.dev/note":"kept"}}}`), metav1.PatchOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(claims.UpdateDeviceStatus(ctx, e, "card", claims.ReadyStatus(ctx, e, "card", "kept"))).To(gomega.Succeed(), "the API server should store the status of an allocated device")
		before, err := client.Get(ctx, "card", metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.CreateUsingClaims(ctx, e, "second", pods.Options{}, "card")
		pods.WaitForScheduled(ctx, e, "second")
		claims.WaitForConsumers(ctx, e, "card", "two pods use it", 2)
		after, err := client.Get(ctx, "card", metav1.GetOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		gomega.Expect(after.Status.Devices).To(gomega.HaveLen(1), "the status of the device should stay")
		gomega.Expect(toJSON(after.Status.Devices)).To(gomega.Equal(toJSON(before.Status.Devices)), "the status of the device should stay as it is")
		gomega.Expect(toJSON(after.Status.Allocation)).To(gomega.Equal(toJSON(before.Status.Allocation)), "the allocation should stay as it is")
		gomega.Expect(after.Annotations).To(gomega.HaveKeyWithValue("draconform.dev/note", "kept"), "the annotations of the claim should stay")
	},
}
