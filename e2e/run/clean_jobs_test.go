// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// clusterWithJobs returns a cluster in which two runs have left Jobs, one in a
// namespace of its own and one in a namespace of the user.
func clusterWithJobs() *fake.Clientset {
	in := func(namespace, run string) metav1.ObjectMeta {
		m := labelled("job-"+run, run)
		m.Namespace, m.UID = namespace, types.UID("uid-"+run)
		return m
	}
	return fake.NewClientset(
		&corev1.Namespace{ObjectMeta: labelled("ns-one", "one")}, &corev1.Namespace{ObjectMeta: labelled("default", "")},
		&batchv1.Job{ObjectMeta: in("ns-one", "one")}, &batchv1.Job{ObjectMeta: in("default", "two")}, &batchv1.Job{ObjectMeta: in("default", "")},
		&corev1.ConfigMap{ObjectMeta: in("ns-one", "one")}, &corev1.ConfigMap{ObjectMeta: in("default", "two")}, &corev1.ConfigMap{ObjectMeta: in("default", "")},
		&corev1.ServiceAccount{ObjectMeta: in("ns-one", "one")}, &corev1.ServiceAccount{ObjectMeta: in("default", "two")}, &corev1.ServiceAccount{ObjectMeta: in("default", "")},
		&rbacv1.Role{ObjectMeta: in("gpu-system", "two")}, &rbacv1.Role{ObjectMeta: in("gpu-system", "")},
		&rbacv1.RoleBinding{ObjectMeta: in("gpu-system", "two")}, &rbacv1.RoleBinding{ObjectMeta: in("gpu-system", "")},
	)
}

func TestCleanRemovesJobs(t *testing.T) {
	g := NewWithT(t)
	g.Expect(wouldRemove(t, CleanConfig{}, clusterWithJobs())).To(Equal([]string{
		"job default/job-two",
		"job ns-one/job-one",
		"config map default/job-two",
		"service account default/job-two",
		"role binding gpu-system/job-two",
		"role gpu-system/job-two",
		"namespace ns-one",
	}), "runs are terminated first, and the objects in a namespace are removed with it")

	client := clusterWithJobs()
	g.Expect(CleanConfig{RunID: "two"}.CleanCluster(t.Context(), client)).To(Succeed())
	jobs, err := client.BatchV1().Jobs("").List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(jobs.Items).To(HaveLen(2))
	accounts, err := client.CoreV1().ServiceAccounts("default").List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(accounts.Items).To(ConsistOf(HaveField("Name", "job-")))
	roles, err := client.RbacV1().Roles("gpu-system").List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(roles.Items).To(ConsistOf(HaveField("Name", "job-")))
}

// A run in a pod cleans up with rights that are removed afterwards.
func TestCleanWaitsForTheEndOfRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		client := clusterWithJobs()
		began := time.Now()
		client.PrependReactor("delete", "jobs", func(action clienttesting.Action) (bool, runtime.Object, error) {
			options := action.(clienttesting.DeleteActionImpl).DeleteOptions
			g.Expect(*options.PropagationPolicy).To(Equal(metav1.DeletePropagationForeground))
			g.Expect(string(*options.Preconditions.UID)).To(Equal("uid-one"))
			time.AfterFunc(30*time.Second, func() {
				_ = client.Tracker().Delete(batchv1.SchemeGroupVersion.WithResource("jobs"), "ns-one", "job-one")
			})
			return true, nil, nil
		})
		var waited time.Duration
		client.PrependReactor("delete", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
			waited = time.Since(began)
			return false, nil, nil
		})
		g.Expect(CleanConfig{RunID: "one"}.CleanCluster(t.Context(), client)).To(Succeed())
		g.Expect(waited).To(BeNumerically(">=", 30*time.Second))
	})
}

func TestCleanGivesUpOnRunsThatDoNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewWithT(t)
		client := clusterWithJobs()
		client.PrependReactor("delete", "jobs", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, nil })
		g.Expect(CleanConfig{RunID: "one"}.CleanCluster(t.Context(), client)).To(MatchError(HavePrefix("remove job ns-one/job-one: its pod has not ended after 11m0s")))
	})
}

// inNamespace returns the metadata of an object of a run in a namespace.
func inNamespace(namespace, name, run string) metav1.ObjectMeta {
	m := labelled(name, run)
	m.Namespace = namespace
	return m
}

// clusterWithGivenNamespaces returns a cluster in which runs have used given
// namespaces and one of their own.
func clusterWithGivenNamespaces() *fake.Clientset {
	return fake.NewClientset(
		&corev1.Namespace{ObjectMeta: labelled("team", "")}, &corev1.Namespace{ObjectMeta: labelled("other-team", "")}, &corev1.Namespace{ObjectMeta: labelled("draconform-own", "one")},
		&corev1.Pod{ObjectMeta: inNamespace("team", "pod-one", "one")}, &corev1.Pod{ObjectMeta: inNamespace("team", "pod-two", "two")}, &corev1.Pod{ObjectMeta: inNamespace("team", "pod", "")},
		&corev1.Pod{ObjectMeta: inNamespace("draconform-own", "pod-own", "one")},
		&resourceapi.ResourceClaim{ObjectMeta: inNamespace("team", "claim-one", "one")}, &resourceapi.ResourceClaim{ObjectMeta: inNamespace("other-team", "claim-other", "one")},
		&resourceapi.ResourceClaim{ObjectMeta: inNamespace("team", "claim", "")},
		&resourceapi.ResourceClaimTemplate{ObjectMeta: inNamespace("team", "template-one", "one")},
		&coordinationv1.Lease{ObjectMeta: inNamespace("team", "lease-one", "one")}, &coordinationv1.Lease{ObjectMeta: inNamespace("team", "lease", "")},
		class("class-one", "one"),
	)
}

func TestCleanRemovesObjectsInGivenNamespaces(t *testing.T) {
	theirs := []string{"team/pod", "team/claim", "team/lease"}
	for name, test := range map[string]struct {
		config  CleanConfig
		want    []string
		classes int
	}{
		"of all runs":                {CleanConfig{}, nil, 0},
		"of one run":                 {CleanConfig{RunID: "one"}, []string{"team/pod-two"}, 0},
		"of one namespace":           {CleanConfig{Namespace: "team"}, []string{"draconform-own/pod-own", "other-team/claim-other"}, 1},
		"of one run and a namespace": {CleanConfig{Namespace: "team", RunID: "two"}, []string{"draconform-own/pod-own", "other-team/claim-other", "team/pod-one", "team/claim-one", "team/template-one", "team/lease-one"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := clusterWithGivenNamespaces()
			// The content of a namespace is removed with it.
			client.PrependReactor("delete", "namespaces", func(action clienttesting.Action) (bool, runtime.Object, error) {
				return false, nil, client.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("pods"), action.(clienttesting.DeleteAction).GetName(), "pod-own")
			})
			if test.config.Namespace != "" {
				for _, verb := range []string{"list", "delete"} {
					client.PrependReactor(verb, "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
						if action.GetNamespace() == test.config.Namespace {
							return false, nil, nil
						}
						return true, nil, errors.New("forbidden")
					})
				}
			}
			g.Expect(test.config.CleanCluster(t.Context(), client)).To(Succeed())
			client.ReactionChain = client.ReactionChain[len(client.ReactionChain)-1:]
			var left []string
			for _, kind := range namespaces.Kinds(client, "") {
				found, err := kind.List(t.Context(), metav1.ListOptions{})
				g.Expect(err).NotTo(HaveOccurred())
				for _, name := range found {
					left = append(left, name.String())
				}
			}
			g.Expect(left).To(ConsistOf(append(theirs, test.want...)))
			classes, err := client.ResourceV1().DeviceClasses().List(t.Context(), metav1.ListOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(classes.Items).To(HaveLen(test.classes))
		})
	}
}
