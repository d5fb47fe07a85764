// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classic

import (
	"context"

	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/classic"
	"github.com/draconform/draconform/e2e/suite/env"
)

// classicEarlierPodSeesDevice deletes the class of two claims that are allocated, and then
// creates pods that use them.
var classicEarlierPodSeesDevice = suite.Spec{
	ID:           "classic-earlier-pod-sees-device",
	Description:  "The plugin of a driver makes the device visible in containers that the controller has allocated, although the class of the claim is deleted before the pod runs.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     earlierFeatures,
	Component:    env.Driver,
	MinNodes:     1,
	Needs:        []env.Need{env.NeedsClassicDriver},
	Requirements: []string{"3063-handle-data-for-plugin"},
	Body: func(ctx context.Context, e *env.Env) {
		w := classic.UseEarlierWorkers(ctx, e)
		names := []string{"first", "second"}
		for _, name := range names {
			w.CreateClaim(ctx, name, classic.Immediate)
			w.WaitForClaim(ctx, name, "there is a device for each claim", allocated)
		}
		w.DeleteClass(ctx, w.Class)
		var seen []string
		for _, name := range names {
			w.CreatePod(ctx, name, name)
			seen = append(seen, w.WaitForDevice(ctx, name, "its claim is allocated"))
		}
		gomega.Expect(seen[0]).NotTo(gomega.Equal(seen[1]), "the claims should have different devices")
	},
}
