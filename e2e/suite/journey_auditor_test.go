// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
	"github.com/draconform/draconform/fakedriver/describe"
)

// While a scheduler without sharing affinity allocates, claims with different
// affinity values may share a device. The auditor raises an alarm only for the
// allocations of the next scheduler.
func TestJourneyAuditorFollowsSchedulerChanges(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "journey to a scheduler with sharing affinity").Of("journey")
	g.Expect(got.JourneySteps).To(HaveEach(HaveField("Outcome", journey.Held)), got.Reason)
	g.Expect(got.Outcome).To(Equal(suite.Failed))
	g.Expect(got.Reason).To(ContainSubstring("/nic-1 is only for claims that state the same value"))
	g.Expect(strings.Count(got.Reason, "is only for claims")).To(Equal(1), got.Reason)
}

// toAffinity configures a journey that changes from a scheduler without sharing
// affinity to one with it.
func toAffinity(c *suite.Options) {
	withChanger(c)
	target := c.Target
	c.Changer = succeedingChanger{c.Changer}
	c.DetectTarget = func(context.Context) (env.Target, error) { return target, nil }
	c.Found = maps.Clone(target.Found)
	delete(c.Found, features.SharingAffinity)
	var audits atomic.Int32
	c.Client.(clienttesting.FakeClient).PrependReactor("list", "deviceclasses", func(clienttesting.Action) (bool, runtime.Object, error) {
		audits.Add(1) // Only audits list device classes before the steps have ended.
		return false, nil, nil
	})
	s := journeySpec()
	s.Needs = []env.Need{env.NeedsSimulatedNodes}
	s.Journey.Steps = func() []journey.Step {
		var sim *simulated.Nodes
		return []journey.Step{
			{Text: "claims share a device", Do: func(ctx context.Context, r *journey.Run) {
				sim = simulated.CreateNodes(ctx, r.Env, 1)
				sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0], Name: "nics"}, twoNICs())
				createSharingPods(ctx, r.Env, sim.Device(fmt.Sprintf(`"slots" in device.capacity[%q]`, sim.Driver)), "first")
			}},
			{Text: "claims share a device after the scheduler has changed", Do: func(ctx context.Context, r *journey.Run) {
				r.Change(ctx, skew.Want{Scheduler: "draconform"})
				// Up to the second audit after the change, allocations may be
				// those of the previous scheduler.
				Eventually(audits.Load).WithContext(ctx).WithTimeout(time.Minute).Should(BeNumerically(">", audits.Load()+2))
				createSharingPods(ctx, r.Env, sim.Device(fmt.Sprintf(`"lanes" in device.capacity[%q]`, sim.Driver)), "second")
			}},
		}
	}
	c.Specs = []suite.Spec{s}
}

// createSharingPods creates two pods that share a device with different
// affinity values.
func createSharingPods(ctx context.Context, e *env.Env, device subject.Device, name string) {
	apart := subject.Fakes{NIC: "nic.example.com"}.Subject().Shared.Apart
	pods.CreateWithConfiguredClaim(ctx, e, name+"-one", "", device, apart.One)
	pods.CreateWithConfiguredClaim(ctx, e, name+"-other", "", device, apart.Other)
	pods.WaitForScheduled(ctx, e, name+"-one", name+"-other")
}

// twoNICs returns two devices with sharing affinity for the subnet.
func twoNICs() *describe.Inventory {
	all, err := describe.Compile([]byte(`devices:
- name: nic-0
  basic: {allowMultipleAllocations: true, sharingAffinity: {attributeKeys: [nic.draconform.dev/subnet]}, capacity: {slots: {value: 4, requestPolicy: {default: 1}}}}
- name: nic-1
  basic: {allowMultipleAllocations: true, sharingAffinity: {attributeKeys: [nic.draconform.dev/subnet]}, capacity: {lanes: {value: 4, requestPolicy: {default: 1}}}}
`))
	Expect(err).NotTo(HaveOccurred())
	return all
}

// A legacy release has no API that the auditor could read.
func TestJourneyRunsWithoutAnAuditor(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "journey in a legacy release").Of("journey")
	g.Expect(got.Outcome).To(Equal(suite.Passed), got.Reason)
	g.Expect(got.JourneySteps).To(HaveExactElements(HaveField("Outcome", journey.Held), HaveField("Outcome", journey.Held)))
}

// inLegacyRelease configures a journey that changes the scheduler of a cluster with
// classic DRA only.
func inLegacyRelease(c *suite.Options) {
	withChanger(c)
	c.Changer = succeedingChanger{c.Changer}
	c.Found = maps.Clone(c.Found)
	delete(c.Found, features.Core)
	c.Found[features.ControlPlaneController] = features.Presence{Present: true}
	target := c.Target
	c.DetectTarget = func(context.Context) (env.Target, error) { return target, nil }
	s := journeySpec()
	s.Features = []features.Feature{features.ControlPlaneController}
	s.Journey.Steps = func() []journey.Step {
		return []journey.Step{{Text: "the scheduler has changed", Do: func(ctx context.Context, r *journey.Run) {
			r.Change(ctx, skew.Want{Scheduler: "kube-scheduler"})
		}}}
	}
	c.Specs = []suite.Spec{s}
}

// succeedingChanger is a changer whose changes always succeed.
type succeedingChanger struct{ operations.Changer }

func (succeedingChanger) Change(context.Context, skew.Want) error { return nil }
