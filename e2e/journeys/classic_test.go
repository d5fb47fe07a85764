// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package journeys_test

import (
	"context"
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/internal/classiccluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/journeys"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
)

// classicCase is a run of a journey between releases with classic DRA, or to those without,
// in an in-memory cluster.
type classicCase struct {
	journey  string
	mistakes classiccluster.Mistakes
	// want is a part of the reason why the journey fails. A right cluster has none.
	want string
}

func afterUpgrade(m classiccluster.UpgradeMistakes) classiccluster.Mistakes {
	return classiccluster.Mistakes{Upgrade: m}
}

// The journeys, and the release of their first cluster.
const (
	to131         = "classic-upgrade-to-1-31"
	to132         = "classic-upgrade-to-1-32"
	withWorkloads = "classic-upgrade-to-1-32-with-workloads"
	toStructured  = "classic-moves-to-structured"
)

type upgradeMistakes = classiccluster.UpgradeMistakes

var classicCases = map[string]classicCase{
	"right: " + to131: {journey: to131},
	"1.31 restores a class of 1.30": {
		to131, afterUpgrade(upgradeMistakes{RestoresClass: true}), "no object of the former release should be left",
	},
	"1.30 keeps claims": {
		to131, classiccluster.Mistakes{Driver: classiccluster.DriverMistakes{KeepsUnused: true, KeepsDeleted: true}}, "no pod uses the claim any more",
	},
	"right: " + to132: {journey: to132},
	"1.32 serves contexts": {
		to132, afterUpgrade(upgradeMistakes{KeepsContexts: true}), "PodSchedulingContexts should not be served in v1beta1",
	},
	"1.32 has spec.controller": {
		to132, afterUpgrade(upgradeMistakes{KeepsFields: true}), "is not bound",
	},
	"1.32 restores a class": {
		to132, afterUpgrade(upgradeMistakes{RestoresClass: true}), "no object of the former release should be left",
	},
	"contexts of deleted pods stay": {
		to132, classiccluster.Mistakes{Manager: classiccluster.ManagerMistakes{KeepsContexts: true}}, "there should be no PodSchedulingContexts",
	},
	"1.32 gives a device twice": {
		to132, afterUpgrade(upgradeMistakes{ForgetsDevices: true}), "each device should be given to one claim",
	},
	"right: " + withWorkloads: {journey: withWorkloads},
	"1.32 deallocates claims": {
		withWorkloads, afterUpgrade(upgradeMistakes{LosesAllocations: true}), "the claim should keep its allocation",
	},
	"1.32 keeps spec.controller": {
		withWorkloads, afterUpgrade(upgradeMistakes{KeepsFields: true}), "has the driver",
	},
	"1.32 binds pods without devices": {
		withWorkloads, afterUpgrade(upgradeMistakes{Guesses: true}), "no driver is asked",
	},
	"1.32 frees claims of drivers": {
		withWorkloads, afterUpgrade(upgradeMistakes{FreesAll: true}), "the reservation of the deleted pod should be removed",
	},
	"right: " + toStructured: {journey: toStructured},
	"devices are given twice": {
		toStructured, afterUpgrade(upgradeMistakes{ForgetsDevices: true}), "each device should be given to one claim",
	},
	"structured claims stay allocated": {
		toStructured, afterUpgrade(upgradeMistakes{KeepsUnused: true}), "the scheduler's allocation should end with the last pod",
	},
	"structured claims lose their devices": {
		toStructured, afterUpgrade(upgradeMistakes{LosesAllocations: true}), "structured-0-0 is invalid: reservedFor",
	},
	"structured claims are lost": {
		toStructured, afterUpgrade(upgradeMistakes{LosesObjects: true}), "claim structured-0-0 was deleted",
	},
	"the class does not keep the driver off a node": {
		toStructured, classiccluster.Mistakes{Scheduler: classiccluster.SchedulerMistakes{IgnoresClasses: true}}, "its class excludes the node whose devices were handed over",
	},
}

func TestClassicJourneys(t *testing.T) {
	for name, c := range classicCases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := NewWithT(t)
			got := suiterun.Run(t, name).Of(c.journey)
			if c.want != "" {
				g.Expect(got.Outcome).To(Equal(suite.Failed), got.Reason)
				g.Expect(got.Reason).To(ContainSubstring(c.want))
				return
			}
			g.Expect(got.Outcome).To(Equal(suite.Passed), got.Reason)
			for _, step := range got.JourneySteps {
				g.Expect(step.Outcome).To(Equal(journey.Held), step.Text)
			}
		})
	}
}

func (c classicCase) run() suiterun.Case {
	return suiterun.Case{Change: func(ctx context.Context, o *suite.Options) context.Context {
		all := journeys.All()
		s := all[slices.IndexFunc(all, func(s suite.Spec) bool { return s.ID == c.journey })]
		start := s.Journey.InitialCluster
		mistakes := c.mistakes
		mistakes.Earlier = start.Release == "1.30"
		client, access, err := classiccluster.New(mistakes)
		if err != nil {
			panic(err) // The test fails.
		}
		o.Specs, o.Client, o.Release, o.ControlPlane, o.Workers, o.Classic = []suite.Spec{s}, client, "v"+start.Release+".4", access, 2, access
		o.Found = features.Set{
			features.ClassicAPI: {Present: !mistakes.Earlier}, features.ResourceClasses: {Present: mistakes.Earlier},
			features.ControlPlaneController: {Present: !mistakes.Earlier},
		}
		o.State = stateOf(start)
		o.Changer = suiterun.Changer{Client: client, Of: o.State, Changes: access.Change}
		target := o.Target
		o.DetectTarget = func(context.Context) (env.Target, error) { return target, nil }
		if c.want != "" { // The journey waits for what never happens.
			o.Timeouts.PodStart, o.Timeouts.Deletion, o.Timeouts.Recovery, o.Timeouts.Unschedulable, o.Timeouts.Response = 2*time.Second, 2*time.Second, 2*time.Second, 2*time.Second, 2*time.Second
		}
		return ctx
	}}
}
