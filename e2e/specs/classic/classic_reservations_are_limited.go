// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"
	"fmt"

	"github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicReservationsAreLimited writes reservations of a claim, and removes its allocation
// while it is reserved.
var classicReservationsAreLimited = suite.Spec{
	ID:           "classic-reservations-are-limited",
	Description:  "A claim without an allocation cannot be reserved, an allocated one can for at most 32 different pods, and a reserved one stays allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     classicFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"3063-reservation-limit"},
	Body: func(ctx context.Context, e *env.Env) {
		c := classic.Create(ctx, e, 1)
		c.CreateClaim(ctx, "claim", c.Driver("a"), c.Class)
		users := make([]*corev1.Pod, 33)
		for i := range users {
			users[i] = &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("user-%d", i), UID: types.UID(fmt.Sprintf("user-%d", i))}}
		}
		expectInvalid(c.TryStatus(ctx, "claim", map[string]any{"reservedFor": classic.Consumers(users[0])}), "reservedFor", "a reservation of a claim that is not allocated")
		gomega.Expect(c.TryStatus(ctx, "claim", map[string]any{"allocation": classic.AllocationOn(c.Driver("a"), c.Nodes...)})).To(gomega.Succeed())
		expectInvalid(c.TryReserve(ctx, "claim", users...), "may not be longer than 32", "33 users")
		expectInvalid(c.TryReserve(ctx, "claim", users[0], users[0]), "Duplicate value", "a user twice")
		// Nobody removes the reservations of pods that exist.
		user := c.CreateUnscheduledPod(ctx, "user", "claim")
		gomega.Expect(c.TryReserve(ctx, "claim", append(users[:31], user)...)).To(gomega.Succeed(), "32 users should be accepted")
		expectInvalid(c.TryStatus(ctx, "claim", map[string]any{"allocation": nil}), "may not be specified when `allocated` is not set", "a reserved claim that is deallocated")
	},
}
