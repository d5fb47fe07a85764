// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"context"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// generatedClaimOfReplacedPod deletes a pod with a claim from a template by force, and creates
// another pod of the same name immediately, as a StatefulSet does. The claim of the former pod
// may exist for a while.
var generatedClaimOfReplacedPod = suite.Spec{
	ID:           "generated-claim-of-replaced-pod",
	Description:  "A pod that replaces another one of the same name gets a claim of its own from the template, and is scheduled. The claim of the former pod is removed.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core},
	Component:    env.ControllerManager,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4381-claim-of-pod", "4381-claim-ends-with-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, fixture.Devices("card", "disk"))
		createTemplate(ctx, e, "template", fixture.AnyDevice(sim))
		entries := map[string]string{"entry": "template"}
		createPodFrom(ctx, e, "pod", entries)
		former := waitForGeneratedClaims(ctx, e, "pod", "entry")["entry"]
		pods.WaitForScheduled(ctx, e, "pod")
		pods.DeleteByForce(ctx, e, "pod")
		pod := createPodFrom(ctx, e, "pod", entries)
		own := waitForGeneratedClaims(ctx, e, "pod", "entry")["entry"]
		gomega.Expect(own.UID).NotTo(gomega.Equal(former.UID), "the next pod should have a claim of its own")
		gomega.Expect(metav1.IsControlledBy(own, pod)).To(gomega.BeTrue(), "claim %s should belong to the next pod", own.Name)
		pods.WaitForScheduled(ctx, e, "pod")
		claims.WaitForCollected(ctx, e, former.Name, "the pod that owns it is deleted")
	},
}
