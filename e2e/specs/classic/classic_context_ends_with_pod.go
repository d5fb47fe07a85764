// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
)

// classicContextEndsWithPod excludes the only node for a pod that waits, deletes the pod, and
// creates another one of the same name.
var classicContextEndsWithPod = suite.Spec{
	ID:           "classic-context-ends-with-pod",
	Description:  "The PodSchedulingContext of a pod is removed when the pod is deleted while it waits. Another pod of that name gets one of its own, without the answers of drivers about the first.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-context-removed-with-pod"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		c.CreatePod(ctx, "pod", "claim")
		node := c.WaitForSelectedNode(ctx, "pod", "one claim is pending")
		c.Answer(ctx, "pod", classic.Answer{Name: pods.ClaimOf(0), UnsuitableNodes: []string{node}})
		pods.Delete(ctx, e, "pod")
		c.WaitForContextRemoved(ctx, "pod", "the PodSchedulingContext should be removed, because its pod is deleted")
		second := c.CreatePod(ctx, "pod", "claim")
		c.WaitForContext(ctx, "pod", "drivers have not answered about the second pod", func(found classic.Context) error {
			owner := metav1.GetControllerOf(&found.Metadata)
			if owner == nil || owner.UID != second.UID || found.Spec.SelectedNode != node {
				return fmt.Errorf("the PodSchedulingContext is owned by %v, and its selected node is %q", owner, found.Spec.SelectedNode)
			}
			return nil
		})
		c.Allocate(ctx, "claim", classic.AllocationOn(c.Driver("a"), node), second)
		c.WaitForBound(ctx, "pod", "its claim is allocated")
	},
}
