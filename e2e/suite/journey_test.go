// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/journey"
)

func TestJourneyStopsAtTheStepThatBreaks(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "journey").Of("journey")
	g.Expect(got.Outcome).To(Equal(suite.Failed))
	g.Expect(got.Reason).To(ContainSubstring("workloads and their objects should be unchanged"))
	g.Expect(got.Reason).To(ContainSubstring("the allocation of claim first of pod first has changed to null from {"))
	var steps []string
	for _, s := range got.JourneySteps {
		steps = append(steps, s.Text+": "+string(s.Outcome))
		g.Expect(s.Started.IsZero()).To(Equal(s.Outcome == journey.NotReached), s.Text)
	}
	g.Expect(steps).To(Equal([]string{
		"two pods run: held", "nothing changes: held", "nothing changes again: held", "a claim is deallocated: broke", "the last step: not-reached",
		"all pods are deleted: their claims are freed, and other pods get devices with them: not-reached",
	}))
	g.Expect(got.JourneySteps[2].State).To(HaveLen(1), "the state of the cluster after a step")
}

func TestJourneyRestartsOneContainerPerStep(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "journey").Of("journey")
	var restarted []string
	for _, s := range got.Steps {
		if strings.HasPrefix(s.Text, "restarting the container ") {
			restarted = append(restarted, s.Text)
		}
	}
	g.Expect(restarted).To(Equal([]string{"restarting the container of pod first", "restarting the container of pod second"}), "none after the first step")
}

func TestJourneyKillsSchedulerAndControllerManagerHalfWay(t *testing.T) {
	g := NewWithT(t)
	var steps []string
	for _, s := range suiterun.Run(t, "journey").Of("journey").Steps {
		if strings.HasPrefix(s.Text, "step ") || strings.HasPrefix(s.Text, "killing ") {
			steps = append(steps, s.Text)
		}
	}
	g.Expect(steps).To(Equal([]string{
		"step 1 of 6: two pods run", "step 2 of 6: nothing changes", "step 3 of 6: nothing changes again",
		"killing scheduler", "killing controller-manager", "step 4 of 6: a claim is deallocated",
	}))
}

func TestJourneyRunsSpecs(t *testing.T) {
	g := NewWithT(t)
	run := suiterun.Run(t, "journey with specs")
	got := run.Of("journey")
	g.Expect(run.Namespaces).To(BeEmpty(), "the namespaces of nested specs are removed, too")
	g.Expect(got.JourneySteps).To(HaveExactElements(HaveField("Outcome", journey.Held), HaveField("Outcome", journey.Broke), HaveField("Outcome", journey.NotReached)))
	g.Expect(got.Reason).To(HavePrefix("while comparing numbers: the numbers should be equal"))
	var steps []string
	for _, s := range got.Steps {
		steps = append(steps, s.Text)
	}
	g.Expect(steps).To(ContainElements("spec inner", "spec unsupported: not-supported: feature missing-feature is absent: ", "spec wrong"))
	g.Expect(filepath.Join(run.Dir, "artifacts", "journey", "wrong", "claims.yaml")).To(BeARegularFile(), "the dump of the failed spec")
}

func TestJourneyRecordsTheFailedChange(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "journey whose upgrade fails").Of("journey")
	g.Expect(got.Reason).To(ContainSubstring("no such image"))
	g.Expect(got.JourneySteps).To(HaveLen(2))
	g.Expect(got.JourneySteps[0].Failed).To(HaveValue(And(
		HaveField("Release.Minor", "1.37"), HaveField("Components", []skew.Component{skew.APIServer}),
	)))
}

// A journey must not pass with its specs skipped when the cluster loses a
// feature.
func TestJourneyFailsIfASpecIsUnexpectedlyNotSupported(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "journey with a spec that the cluster should support").Of("journey")
	g.Expect(got.Outcome).To(Equal(suite.Failed))
	g.Expect(got.Reason).To(ContainSubstring("the cluster should support these specs"))
	g.Expect(got.Reason).To(ContainSubstring("spec unsupported: not-supported: feature missing-feature is absent"))
}

func TestJourneyIsNotApplicableToOtherInitialClusters(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "journeys with other initial clusters")
	g.Expect(got.Of("other-release").Outcome).To(Equal(suite.NotApplicable))
	g.Expect(got.Of("other-release").Reason).To(Equal("starts with Kubernetes 1.36 with gates default and scheduler kube-scheduler, but apiserver runs 1.37 with gates default"))
	g.Expect(got.Of("too-many-workers").Reason).To(Equal("needs 9 worker nodes, the cluster has 1"))
	g.Expect(suiterun.Run(t, "journey in an existing cluster").Of("journey").Reason).To(Equal("needs to change the components of the cluster, which is only possible in a cluster that the run created"))
}

var newest = journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: "kube-scheduler", Workers: 1}

// journeySpec returns a journey that checks two pods, one of which loses its
// allocation.
func journeySpec() suite.Spec {
	s := spec("journey", "p", nil)
	s.Journey = &journey.Journey{InitialCluster: newest, Steps: func() []journey.Step {
		nothing := func(context.Context, *journey.Run) {}
		return []journey.Step{
			{Text: "two pods run", Do: func(ctx context.Context, r *journey.Run) {
				r.CreateCheckedPod(ctx, "first", r.Subject.Partitions.Small)
				r.CreateCheckedPod(ctx, "second", r.Subject.Partitions.Small)
			}},
			{Text: "nothing changes", Do: nothing},
			{Text: "nothing changes again", Do: nothing},
			{Text: "a claim is deallocated", Do: func(ctx context.Context, r *journey.Run) {
				claim, err := r.Client.ResourceV1().ResourceClaims(r.Namespace).Get(ctx, "first", metav1.GetOptions{})
				Expect(err).NotTo(HaveOccurred())
				claim.Status = resourceapi.ResourceClaimStatus{}
				_, err = r.Client.ResourceV1().ResourceClaims(r.Namespace).UpdateStatus(ctx, claim, metav1.UpdateOptions{})
				Expect(err).NotTo(HaveOccurred())
			}},
			{Text: "the last step", Do: nothing},
		}
	}}
	return s
}

// withChanger configures a changer for the run that does not change the
// cluster.
func withChanger(c *suite.Options) {
	release := clusters.Newest()
	set, err := gates.Parse("default", release)
	if err != nil {
		panic(err) // All releases have this set.
	}
	c.State = skew.State{{Instance: skew.Instance{Component: skew.APIServer}, Release: release, Gates: set}}
	c.Changer = suiterun.Changer{Client: c.Client, Of: c.State, Changes: func(context.Context, skew.Want) error { return errors.New("no such image") }}
}
