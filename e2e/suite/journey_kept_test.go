// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package suite_test

import (
	"context"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/clusters/skew"
	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/suiterun"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/journey"
	"github.com/draconform/draconform/e2e/suite/operations"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
	"github.com/draconform/draconform/e2e/suite/taintrules"
	"github.com/draconform/draconform/fakedriver/describe"
)

// upgrades are upgrades of a cluster and what is wrong with them. The first step and the
// upgrade are held up to the step that breaks, which has the number broken, from 0. A right
// one breaks no step.
var upgrades = map[string]struct {
	loses    func(ctx context.Context, client kubernetes.Interface) error
	mistakes fakecluster.Mistakes
	broken   int
	want     string
}{
	"loses nothing": {broken: 3},
	"loses an annotation": {
		loses:  changeClaims(func(c *resourceapi.ResourceClaim) { c.Annotations = nil }),
		broken: 1, want: "claim first has lost its annotation draconform.dev/checked=annotation of first",
	},
	"loses labels": {
		loses:  changeClaims(func(c *resourceapi.ResourceClaim) { delete(c.Labels, "draconform.dev/checked") }),
		broken: 1, want: "claim first has lost its label draconform.dev/checked=label",
	},
	"loses owners": {
		loses:  changeClaims(func(c *resourceapi.ResourceClaim) { c.OwnerReferences = nil }),
		broken: 1, want: `has lost its owner {\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"made\"`,
	},
	"loses finalizers": {
		loses:  changeClaims(func(c *resourceapi.ResourceClaim) { c.Finalizers = nil }),
		broken: 1, want: "claim plain has lost its finalizer resource.kubernetes.io/delete-protection",
	},
	"loses the status of devices": {
		loses: changeStatuses(func(s *resourceapi.ResourceClaimStatus) { s.Devices = nil }), broken: 1, want: "claim plain has lost the status of device ",
	},
	"loses names of generated claims": {
		loses: losesNamesOfClaims, broken: 1, want: `the status of pod made has lost its claim {\"name\":\"generated\"`,
	},
	"loses a device taint rule": {loses: losesRules, broken: 1, want: "-worn was deleted"},
	"loses the time of a rule": {
		loses: losesTimes, broken: 1, want: "-worn has changed to {",
	},
	"drops capacity of slices in updates": {
		mistakes: fakecluster.MistakesOf(fakecluster.APIServerMistakes{DropsInUpdates: func(o runtime.Object) {
			if slice, ok := o.(*resourceapi.ResourceSlice); ok {
				slice.Spec.Devices[0].Capacity = nil
			}
		}}), broken: 0, want: "would change to {",
	},
	"keeps claims reserved for deleted pods": {
		mistakes: fakecluster.MistakesOf(fakecluster.ControllerMistakes{HoldsForDeleted: true}), broken: 2, want: "claim first is still reserved for the deleted pod first: ",
	},
	"keeps claims of deleted pods": {
		mistakes: fakecluster.MistakesOf(fakecluster.ControllerMistakes{KeepsOrphans: true}), broken: 2, want: " of the deleted pod made still exists: ",
	},
	"forgets to unprepare claims of deleted pods": {
		mistakes: fakecluster.MistakesOf(fakecluster.KubeletMistakes{NeverAsks: true}), broken: 2, want: "claim first should be prepared: false",
	},
}

func TestJourneyComparesWhatAnUpgradeMustKeep(t *testing.T) {
	for name, upgrade := range upgrades {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			got := suiterun.Run(t, "upgrade that "+name).Of("journey")
			g.Expect(got.Reason).To(ContainSubstring(upgrade.want))
			g.Expect(got.JourneySteps).To(HaveLen(3), got.Reason)
			for i, step := range got.JourneySteps {
				want := journey.Held
				switch {
				case i == upgrade.broken:
					want = journey.Broke
				case i > upgrade.broken:
					want = journey.NotReached
				}
				g.Expect(step.Outcome).To(Equal(want), "%s: %s", step.Text, got.Reason)
			}
		})
	}
}

// The pods of the last step have the claims of the pods that it has deleted.
func TestJourneyReplacesItsPods(t *testing.T) {
	g := NewWithT(t)
	got := suiterun.Run(t, "upgrade that loses nothing").Of("journey")
	g.Expect(got.Outcome).To(Equal(suite.Passed), got.Reason)
	var created []string
	for _, s := range got.Steps {
		if strings.Contains(s.Text, " like the deleted pod ") {
			created = append(created, s.Text)
		}
	}
	g.Expect(created).To(ConsistOf(
		"creating pod first-again like the deleted pod first", "creating pod plain-again like the deleted pod plain", "creating pod made-again like the deleted pod made",
	))
}

func upgradeCase(name string) suiterun.Case {
	upgrade := upgrades[name]
	return suiterun.Case{Cluster: fakecluster.Options{Mistakes: upgrade.mistakes}, Change: func(ctx context.Context, c *suite.Options) context.Context {
		withChanger(c)
		c.Changer = losingChanger{c.Changer, c.Client, upgrade.loses}
		s := journeySpec()
		s.Needs = []env.Need{env.NeedsSimulatedNodes}
		s.Journey.Steps = upgradeSteps
		c.Specs = []suite.Spec{s}
		return ctx
	}}
}

// losingChanger is a changer after whose changes the cluster has lost something.
type losingChanger struct {
	operations.Changer
	client kubernetes.Interface
	loses  func(context.Context, kubernetes.Interface) error
}

func (c losingChanger) Change(ctx context.Context, _ skew.Want) error {
	if c.loses == nil {
		return nil
	}
	return c.loses(ctx, c.client)
}

func upgradeSteps() []journey.Step {
	return []journey.Step{
		{Text: "pods run", Do: func(ctx context.Context, r *journey.Run) {
			r.CreateCheckedPod(ctx, "first", r.Subject.Partitions.Small)
			n := simulated.CreateNodes(ctx, r.Env, 1)
			n.CreatePool(ctx, simulated.Pool{Node: n.Names[0], Name: "pool"}, sharedDevice())
			n.CreateTaintRule(ctx, "worn", resourceapi.DeviceTaintSelector{Driver: &n.Driver, Pool: ptr.To("other")}, resourceapi.DeviceTaint{Key: "worn", Effect: resourceapi.DeviceTaintEffectNoSchedule})
			one := devices.NewDeviceClaim([]devices.Request{{Name: "device", Device: n.Device("")}})
			claims.CreateTemplate(ctx, r.Env, "template", one)
			pods.CreateWithClaim(ctx, r.Env, "plain", one)
			pods.CreateFromClaimTemplate(ctx, r.Env, "made", "template", "")
			pods.WaitForScheduled(ctx, r.Env, "plain", "made")
			protect(ctx, r, "plain")
			r.CheckAfterEachStep(ctx, "plain", "made")
		}},
		{Text: "the API server is upgraded", Do: func(ctx context.Context, r *journey.Run) { r.Upgrade(ctx, "1.37", skew.APIServer) }},
	}
}

// sharedDevice returns a device that several claims can share.
func sharedDevice() *describe.Inventory {
	all, err := describe.Compile([]byte(`devices:
- name: port
  basic: {allowMultipleAllocations: true, capacity: {slots: {value: 4, requestPolicy: {default: 1}}}}
`))
	Expect(err).NotTo(HaveOccurred())
	return all
}

// protect adds the finalizer of allocated claims, which the scheduler of the fake cluster
// does not add.
func protect(ctx context.Context, r *journey.Run, claim string) {
	client := r.Client.ResourceV1().ResourceClaims(r.Namespace)
	got, err := client.Get(ctx, claim, metav1.GetOptions{})
	Expect(err).NotTo(HaveOccurred())
	got.Finalizers = []string{resourceapi.Finalizer}
	_, err = client.Update(ctx, got, metav1.UpdateOptions{})
	Expect(err).NotTo(HaveOccurred())
}

func changeClaims(change func(*resourceapi.ResourceClaim)) func(context.Context, kubernetes.Interface) error {
	return func(ctx context.Context, client kubernetes.Interface) error {
		all, err := client.ResourceV1().ResourceClaims("").List(ctx, metav1.ListOptions{})
		for i := 0; err == nil && i < len(all.Items); i++ {
			claim := &all.Items[i]
			change(claim)
			_, err = client.ResourceV1().ResourceClaims(claim.Namespace).Update(ctx, claim, metav1.UpdateOptions{})
		}
		return err
	}
}

func changeStatuses(change func(*resourceapi.ResourceClaimStatus)) func(context.Context, kubernetes.Interface) error {
	return func(ctx context.Context, client kubernetes.Interface) error {
		all, err := client.ResourceV1().ResourceClaims("").List(ctx, metav1.ListOptions{})
		for i := 0; err == nil && i < len(all.Items); i++ {
			claim := &all.Items[i]
			change(&claim.Status)
			_, err = client.ResourceV1().ResourceClaims(claim.Namespace).UpdateStatus(ctx, claim, metav1.UpdateOptions{})
		}
		return err
	}
}

func losesNamesOfClaims(ctx context.Context, client kubernetes.Interface) error {
	all, err := client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
	for i := 0; err == nil && i < len(all.Items); i++ {
		pod := &all.Items[i]
		for j := range pod.Status.ResourceClaimStatuses {
			pod.Status.ResourceClaimStatuses[j] = corev1.PodResourceClaimStatus{Name: "generated"}
		}
		_, err = client.CoreV1().Pods(pod.Namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	}
	return err
}

func losesRules(ctx context.Context, client kubernetes.Interface) error {
	all, err := taintrules.List(ctx, client, metav1.ListOptions{})
	for i := 0; err == nil && i < len(all.Items); i++ {
		err = taintrules.Delete(ctx, client, all.Items[i].Name, metav1.DeleteOptions{})
	}
	return err
}

func losesTimes(ctx context.Context, client kubernetes.Interface) error {
	all, err := taintrules.List(ctx, client, metav1.ListOptions{})
	for i := 0; err == nil && i < len(all.Items); i++ {
		err = taintrules.Update(ctx, client, all.Items[i].Name, func(spec *resourceapi.DeviceTaintRuleSpec) { spec.Taint.TimeAdded = nil })
	}
	return err
}
