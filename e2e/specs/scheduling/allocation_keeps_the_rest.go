// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package scheduling

import (
	"context"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// allocationKeepsTheRest adds a finalizer and an annotation of a third party to a claim before
// it is allocated. A scheduler adds its own finalizer then, and so writes what it does not own.
var allocationKeepsTheRest = suite.Spec{
	ID:           "allocation-keeps-the-rest",
	Description:  "When a claim is allocated, its labels, its annotations and the finalizers of others stay as they are.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     schedulingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-scheduling-allocation-keeps-metadata"},
	Body: func(ctx context.Context, e *env.Env) {
		boundWait(e)
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card"))
		_, err := claims.Create(ctx, e, "card", devices.NewDeviceClaim(fixture.RequestFor(sim, "card")))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		claims.AddFinalizer(ctx, e, "card", claims.OtherFinalizer)
		note := []byte(`{"metadata": {"annotations": {"draconform.dev/note": "kept"}, "labels": {"draconform.dev/note": "kept"}}}`)
		_, err = e.Client.ResourceV1().ResourceClaims(e.Namespace).Patch(ctx, "card", types.MergePatchType, note, metav1.PatchOptions{})
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		pods.CreateUsingClaims(ctx, e, "pod", pods.Options{}, "card")
		pods.WaitForScheduled(ctx, e, "pod")
		claim := claims.Get(ctx, e, "card")
		gomega.Expect(claim.Finalizers).To(gomega.ContainElement(claims.OtherFinalizer), "claim card should keep the finalizer of a third party, because it is allocated")
		gomega.Expect(claim.Annotations).To(gomega.HaveKeyWithValue("draconform.dev/note", "kept"), "claim card should keep its annotations")
		gomega.Expect(claim.Labels).To(gomega.HaveKeyWithValue("draconform.dev/note", "kept"), "claim card should keep its labels")
	},
}
