package suite_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/change"
	"github.com/draconform/draconform/clusters/gates"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/operations"
)

func TestAJourneyEndsWithTheStopAtWhichSomethingWasDisturbed(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "journey").Of("travels")
	g.Expect(got.Outcome).To(Equal(suite.Failed))
	g.Expect(got.Reason).To(ContainSubstring("what the workloads have should be left alone"))
	g.Expect(got.Reason).To(ContainSubstring("claim first of pod first has the allocation null, and before {"))
	var stops []string
	for _, s := range got.Stops {
		stops = append(stops, s.Text+": "+string(s.Outcome))
		g.Expect(s.Started.IsZero()).To(Equal(s.Outcome == journey.NotReached), s.Text)
	}
	g.Expect(stops).To(Equal([]string{
		"two pods run: held", "nothing happens: held", "the API server goes on: held", "claims are emptied: broke", "it is over: not-reached",
	}))
	g.Expect(got.Stops[2].State).To(HaveLen(1), "what the cluster ran after a stop")
}

func TestAJourneyEndsTheContainersOfAllPodsInTurn(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "journey").Of("travels")
	var ended []string
	for _, s := range got.Steps {
		if text := s.Text; len(text) > 10 && text[:10] == "ending the" {
			ended = append(ended, text)
		}
	}
	g.Expect(ended).To(Equal([]string{"ending the container of pod first", "ending the container of pod second"}), "none before anything was changed")
}

func TestHalfWayWhatSchedulesIsKilled(t *testing.T) {
	g := NewWithT(t)
	var steps []string
	for _, s := range suiterun.Run(t, "journey").Of("travels").Steps {
		if strings.HasPrefix(s.Text, "stop ") || strings.HasPrefix(s.Text, "killing ") {
			steps = append(steps, s.Text)
		}
	}
	g.Expect(steps).To(Equal([]string{
		"stop 1 of 5: two pods run", "stop 2 of 5: nothing happens", "stop 3 of 5: the API server goes on",
		"killing scheduler", "killing controller-manager", "stop 4 of 5: claims are emptied",
	}))
}

func TestAJourneyRunsSpecsOnItsWay(t *testing.T) {
	g := NewWithT(t)
	run := suiterun.Run(t, "journey with specs")
	got := run.Of("travels")
	g.Expect(run.Namespaces).To(BeEmpty(), "those of the specs are removed, too")
	g.Expect(got.Stops).To(HaveExactElements(HaveField("Outcome", journey.Held), HaveField("Outcome", journey.Broke)))
	g.Expect(got.Reason).To(HavePrefix("while counting the moons: the earth should have one moon"))
	var steps []string
	for _, s := range got.Steps {
		steps = append(steps, s.Text)
	}
	g.Expect(steps).To(ContainElements("spec inner", "spec needy: not-supported: feature time-travel is absent: ", "spec wrong"))
	g.Expect(filepath.Join(run.Dir, "artifacts", "travels", "wrong", "claims.yaml")).To(BeARegularFile(), "what it left")
}

func TestAJourneyTellsWhichChangeFailed(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "journey whose upgrade fails").Of("travels")
	g.Expect(got.Reason).To(ContainSubstring("no such image"))
	g.Expect(got.Stops).To(HaveLen(1))
	g.Expect(got.Stops[0].Failed).To(HaveValue(And(
		HaveField("Release.Minor", "1.37"), HaveField("Components", []change.Component{change.APIServer}),
	)))
}

// A journey must not pass with its specs skipped when the cluster loses a
// feature.
func TestAJourneyFailsIfASpecFindsLessThanItShould(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "journey with a spec that the cluster should support").Of("travels")
	g.Expect(got.Outcome).To(Equal(suite.Failed))
	g.Expect(got.Reason).To(ContainSubstring("the cluster should have what these specs need"))
	g.Expect(got.Reason).To(ContainSubstring("spec needy: not-supported: feature time-travel is absent"))
}

func TestAJourneyNeedsTheClusterThatItBeginsIn(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "journeys elsewhere")
	g.Expect(got.Of("elsewhere").Outcome).To(Equal(suite.NotApplicable))
	g.Expect(got.Of("elsewhere").Reason).To(Equal("begins in Kubernetes 1.36 with gates default and scheduler kube-scheduler, and here apiserver runs 1.37 with gates default"))
	g.Expect(got.Of("crowded").Reason).To(Equal("needs 9 worker nodes, the cluster has 1"))
	g.Expect(suiterun.Run(t, "journey in a cluster of somebody's").Of("travels").Reason).To(Equal("changes what the cluster runs, which only a cluster of the run's own allows"))
}

var newest = journey.InitialCluster{Release: clusters.Newest().Minor, Gates: "default", Scheduler: "kube-scheduler", Workers: 1}

// travels returns a journey that keeps two pods and in which a claim loses its
// allocation.
func travels() suite.Spec {
	s := spec("travels", "p", nil)
	s.Journey = &journey.Journey{InitialCluster: newest, Steps: func() []journey.Step {
		nothing := func(context.Context, *journey.Run) {}
		return []journey.Step{
			{Text: "two pods run", Do: func(ctx context.Context, r *journey.Run) {
				r.CreateCheckedPod(ctx, "first", r.Subject.Partitions.Small)
				r.CreateCheckedPod(ctx, "second", r.Subject.Partitions.Small)
			}},
			{Text: "nothing happens", Do: nothing},
			{Text: "the API server goes on", Do: nothing},
			{Text: "claims are emptied", Do: func(ctx context.Context, r *journey.Run) {
				claim, err := r.Client.ResourceV1().ResourceClaims(r.Namespace).Get(ctx, "first", metav1.GetOptions{})
				Expect(err).NotTo(HaveOccurred())
				claim.Status.Allocation = nil
				_, err = r.Client.ResourceV1().ResourceClaims(r.Namespace).UpdateStatus(ctx, claim, metav1.UpdateOptions{})
				Expect(err).NotTo(HaveOccurred())
			}},
			{Text: "it is over", Do: nothing},
		}
	}}
	return s
}

// onTheWay configures a changer for the run that does not change the cluster.
func onTheWay(c *suite.Options) {
	c.Changer = changer{client: c.Client}
	c.State, _ = c.Changer.State(context.Background())
}

// changer is a fake. It supports killing containers and components, and its
// changes fail.
type changer struct {
	operations.Changer
	client kubernetes.Interface
}

func (changer) State(context.Context) (change.State, error) {
	release := clusters.Newest()
	set, err := gates.Parse("default", release)
	return change.State{{Instance: change.Instance{Component: change.APIServer}, Release: release, Gates: set}}, err
}

func (changer) Change(context.Context, change.Want) error { return errors.New("no such image") }

// Kill does nothing, because no component runs.
func (changer) Kill(context.Context, change.Component) error { return nil }

// KillContainer replaces the container immediately, as the kubelet does.
func (c changer) KillContainer(ctx context.Context, _, id string) error {
	all, err := c.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, pod := range all.Items {
		if len(pod.Status.ContainerStatuses) == 0 || pod.Status.ContainerStatuses[0].ContainerID != id {
			continue
		}
		pod.Status.ContainerStatuses[0].ContainerID += "-again"
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
		_, err = c.client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, &pod, metav1.UpdateOptions{})
	}
	return err
}
