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

// classicReservationsAreLimited writes reservations of a claim.
var classicReservationsAreLimited = suite.Spec{
	ID:           "classic-reservations-are-limited",
	Description:  "A claim without an allocation cannot be reserved, and an allocated one for at most 32 pods.",
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
		expectInvalid(c.TryStatus(ctx, "claim", map[string]any{"reservedFor": classic.Consumers(users...)}), "may not be longer than 32", "33 users")
	},
}
