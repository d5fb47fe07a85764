// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"fmt"
	"maps"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// bindingWaitsForTheLastCondition publishes a device with as many binding conditions and
// binding failure conditions as possible. All but the last one are true at first.
var bindingWaitsForTheLastCondition = suite.Spec{
	ID:           "binding-waits-for-the-last-condition",
	Description:  "A device can have four binding conditions and four binding failure conditions. The pod waits for each of the former, and the last of the latter counts.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     bindingFeatures,
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5007-conditions-are-recorded", "5007-failure-clears-allocation", "5007-waits-for-all-conditions"},
	Body: func(ctx context.Context, e *env.Env) {
		sim := simulated.CreateNodes(ctx, e, 1)
		inventory := fixture.Devices("card")
		card := &inventory.Devices[0]
		early, complete := conditions{}, conditions{}
		for i := range resourceapi.BindingConditionsMaxSize {
			name := fmt.Sprintf("draconform.dev/step-%d", i)
			card.BindingConditions = append(card.BindingConditions, name)
			complete[name] = metav1.ConditionTrue
			if i < resourceapi.BindingConditionsMaxSize-1 {
				early[name] = metav1.ConditionTrue
			}
		}
		for i := range resourceapi.BindingFailureConditionsMaxSize {
			card.BindingFailureConditions = append(card.BindingFailureConditions, fmt.Sprintf("draconform.dev/failure-%d", i))
		}
		sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, inventory)
		pods.CreateWithRequests(ctx, e, "card", fixture.RequestFor(sim, "card"))
		for _, result := range claims.WaitForAllocation(ctx, e, "card", "its device is free").Results {
			expectRecorded(result, *card)
		}
		report(ctx, e, "card", map[string]conditions{"card": early})
		expectWaiting(ctx, e, map[string]string{"card": "the last of four binding conditions of its device is missing"})
		withFailure := maps.Clone(complete)
		withFailure[card.BindingFailureConditions[len(card.BindingFailureConditions)-1]] = metav1.ConditionTrue
		report(ctx, e, "card", map[string]conditions{"card": withFailure})
		claims.WaitForAllocation(ctx, e, "card", "its device has failed, so that it is deallocated, and then allocated again")
		expectWaiting(ctx, e, map[string]string{"card": "its device was allocated again and is not ready"})
		report(ctx, e, "card", map[string]conditions{"card": complete})
		pods.WaitForScheduled(ctx, e, "card")
	},
}
