// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// attributeGates are the gates of list attributes and derived attributes.
const attributeGates = "DRAListTypeAttributes=true,DRADerivedAttributes=true"

var gatesOfAttributesOffAndOn = suite.Spec{
	ID: "gates-of-attributes-off-and-on",
	Description: "While the scheduler does not support list attributes and derived attributes, claims that compare them are pending, and " +
		"others are allocated. When it supports them again, all are.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     []features.Feature{features.Core, features.ListAttributes, features.DerivedAttributes},
	Component:    env.Scheduler,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"5491-old-scheduler-refuses", "6080-old-scheduler-refuses"},
	Journey: &journey.Journey{
		InitialCluster: journey.InitialCluster{Release: clusters.Newest().Minor, Gates: attributeGates, Scheduler: skew.KubeScheduler, Workers: 1},
		Steps: func() []journey.Step {
			var n *gpuNodes
			return []journey.Step{
				{Text: "claims that compare lists, and derived attributes, are allocated", Do: func(ctx context.Context, r *journey.Run) {
					n = createPlainNodes(ctx, r, 1)
					n.publishPairs(ctx, 3)
					for _, name := range []string{"list-0", "derived-0"} {
						n.createPair(ctx, r, name)
						pods.WaitForScheduled(ctx, r.Env, name)
						r.CheckAfterEachStep(ctx, name)
					}
				}},
				{Text: "the gates are disabled for the scheduler: such claims are pending, others are allocated", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, "default", scheduler...)
					n.createPair(ctx, r, "list-1")
					n.createPair(ctx, r, "derived-1")
					createCheckedPod(ctx, r, "plain", n.plain())
					pods.WaitForPending(ctx, r.Env, "the scheduler does not support such attributes", "list-1", "derived-1")
				}},
				{Text: "the gates are enabled again: pending claims are allocated, and so are new ones", Do: func(ctx context.Context, r *journey.Run) {
					r.SetGates(ctx, attributeGates, scheduler...)
					n.createPair(ctx, r, "list-2")
					n.createPair(ctx, r, "derived-2")
					pods.WaitForScheduled(ctx, r.Env, "list-1", "derived-1", "list-2", "derived-2")
				}},
			}
		},
	},
}

// The attributes of devices in pairs.
const (
	// pair has the name of the pair.
	pair = "pair"
	// zones is a list. Both devices of a pair have the same one, so that a scheduler
	// that compares lists as a whole would not refuse them.
	zones = "zones"
)

// publishPairs publishes pairs of devices: list-0, derived-0, list-1 and so on.
func (n *gpuNodes) publishPairs(ctx context.Context, count int) {
	ginkgo.GinkgoHelper()
	inventory := &simulated.Inventory{}
	for i := range count {
		for _, kind := range []string{"list", "derived"} {
			name := fmt.Sprintf("%s-%d", kind, i)
			for j := range 2 {
				inventory.Devices = append(inventory.Devices, resourceapi.Device{
					Name: fmt.Sprintf("%s-%d", name, j),
					Attributes: map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
						pair: {StringValue: ptr.To(name)}, zones: {StringValues: []string{"a", "b"}},
					},
				})
			}
		}
	}
	n.CreatePool(ctx, simulated.Pool{Node: n.Names[0], Name: "pairs"}, inventory)
}

// createPair creates a pod with a claim for the devices of a pair. Those of a pair
// list-0 must have a zone in common. Those of a pair derived-0 must have the same
// derived attribute, which has the name of one that they have, and its value: a scheduler
// that ignores what is derived would not refuse them.
func (n *gpuNodes) createPair(ctx context.Context, r *journey.Run, name string) {
	ginkgo.GinkgoHelper()
	of := fmt.Sprintf("device.attributes[%q]", n.Driver)
	claim := devices.NewDeviceClaim([]devices.Request{{
		Name: "device", Device: n.Device(fmt.Sprintf("%q in %s && %s.%s == %q", pair, of, of, pair, name)), Count: 2,
	}})
	compared := zones
	if strings.HasPrefix(name, "derived") {
		compared = pair
		claim.Requests[0].Exactly.DerivedAttributes = []resourceapi.DeviceDerivedAttribute{{
			Name: resourceapi.FullyQualifiedName(n.Driver + "/" + pair), Expression: of + "." + pair,
		}}
	}
	claim.Constraints = []resourceapi.DeviceConstraint{{MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(n.Driver + "/" + compared))}}
	pods.CreateWithClaim(ctx, r.Env, name, claim)
}
