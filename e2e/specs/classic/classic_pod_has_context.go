// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicPodHasContext creates a pod with a pending claim and reads its
// PodSchedulingContext.
var classicPodHasContext = suite.Spec{
	ID:           "classic-pod-has-context",
	Description:  "While a claim of a pod waits for its driver, there is a PodSchedulingContext with the name of the pod, which owns it.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-context-of-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		pod := c.CreatePod(ctx, "pod", "claim")
		found := c.WaitForContext(ctx, "pod", "the scheduler should ask the driver", func(classic.Context) error { return nil })
		owner := metav1.GetControllerOf(&found.Metadata)
		gomega.Expect(owner).NotTo(gomega.BeNil(), "the PodSchedulingContext should be owned by its pod, so that it is deleted with it")
		gomega.Expect(owner.UID).To(gomega.Equal(pod.UID), "the PodSchedulingContext should be owned by its pod")
	},
}
