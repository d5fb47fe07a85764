// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/clusters/progress"
	"github.com/draconform/draconform/e2e/internal/access"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// labelled returns the metadata of an object of a run, or without a run label
// if run is empty.
func labelled(name, run string) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Name: name}
	if run != "" {
		m.Labels = map[string]string{"draconform.dev/run": run}
	}
	return m
}

func class(driver, run string) *resourceapi.DeviceClass {
	c := &resourceapi.DeviceClass{ObjectMeta: labelled(driver, run)}
	if run != "" {
		c.Labels["draconform.dev/driver"] = driver
	}
	return c
}

func sliceOf(driver string) *resourceapi.ResourceSlice {
	return &resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "slice-of-" + driver}, Spec: resourceapi.ResourceSliceSpec{Driver: driver}}
}

// clusterOfTwoRuns returns a cluster with objects that two runs left and
// objects of other origin.
func clusterOfTwoRuns() *fake.Clientset {
	withoutDriver := class("class-only", "two")
	delete(withoutDriver.Labels, "draconform.dev/driver")
	return fake.NewClientset(
		&corev1.Namespace{ObjectMeta: labelled("ns-one", "one")}, &corev1.Namespace{ObjectMeta: labelled("ns-two", "two")}, &corev1.Namespace{ObjectMeta: labelled("default", "")},
		&admissionv1.ValidatingAdmissionPolicy{ObjectMeta: labelled("policy-one", "one")}, &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: labelled("policy", "")},
		&admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: labelled("policing-one", "one")}, &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: labelled("policing", "")},
		&rbacv1.ClusterRole{ObjectMeta: labelled("role-one", "one")}, &rbacv1.ClusterRole{ObjectMeta: labelled("admin", "")},
		&rbacv1.ClusterRoleBinding{ObjectMeta: labelled("binding-one", "one")}, &rbacv1.ClusterRoleBinding{ObjectMeta: labelled("admins", "")},
		class("mig-one", "one"), class("mig-two", "two"), class("vendor", ""), withoutDriver,
		sliceOf("mig-one"), sliceOf("mig-two"), sliceOf("vendor"), sliceOf("class-only"),
	)
}

// remaining returns the names of all objects in a cluster.
func remaining(t *testing.T, client *fake.Clientset) []string {
	t.Helper()
	g := NewWithT(t)
	var all []string
	published := kindOf("slice", client.ResourceV1().ResourceSlices().List, nil)
	for _, kind := range append(clusterKinds(client), published) {
		found, err := kind.list(t.Context(), metav1.ListOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		for _, o := range found {
			all = append(all, o.Name)
		}
	}
	slices.Sort(all)
	return all
}

func TestCleanRemovesOnlyLabelledObjects(t *testing.T) {
	unlabelled := []string{"admin", "admins", "default", "policing", "policy", "slice-of-class-only", "slice-of-vendor", "vendor"}
	for name, test := range map[string]struct {
		config CleanConfig
		want   []string
	}{
		"of all runs":       {CleanConfig{}, unlabelled},
		"of one run":        {CleanConfig{RunID: "one"}, append([]string{"class-only", "mig-two", "ns-two", "slice-of-mig-two"}, unlabelled...)},
		"of an unknown run": {CleanConfig{RunID: "three"}, remaining(t, clusterOfTwoRuns())},
		"of a dry run":      {CleanConfig{DryRun: true}, remaining(t, clusterOfTwoRuns())},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := clusterOfTwoRuns()
			g.Expect(test.config.CleanCluster(t.Context(), client)).To(Succeed())
			g.Expect(remaining(t, client)).To(ConsistOf(test.want))
		})
	}
}

func TestCleanDryRun(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	c := CleanConfig{RunID: "one", DryRun: true, Progress: progress.New(&out)}
	g.Expect(c.CleanCluster(t.Context(), clusterOfTwoRuns())).To(Succeed())
	g.Expect(out.String()).To(Equal(`would remove namespace ns-one
would remove validating admission policy binding policing-one
would remove validating admission policy policy-one
would remove cluster role binding binding-one
would remove cluster role role-one
would remove device class mig-one
would remove slices of driver mig-one
would remove node labels of driver mig-one
`), "in the order of removal")
}

// A failed deletion does not prevent the deletion of other objects.
func TestCleanContinuesAfterErrors(t *testing.T) {
	g := NewWithT(t)
	client := clusterOfTwoRuns()
	forbidden := errors.New("forbidden")
	client.PrependReactor("delete", "clusterroles", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, forbidden })
	err := CleanConfig{RunID: "one"}.CleanCluster(t.Context(), client)
	g.Expect(err).To(MatchError("remove cluster role role-one: forbidden"))
	g.Expect(remaining(t, client)).NotTo(ContainElements("mig-one", "slice-of-mig-one"))
}

// A caller with few rights removes what it can. It is told once what is missing, and
// what to do.
func TestCleanWithoutRights(t *testing.T) {
	deny := func(client *fake.Clientset, verb, group, resource string) {
		client.PrependReactor(verb, resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
			return true, nil, apierrors.NewForbidden(schema.GroupResource{Group: group, Resource: resource}, "", errors.New("no rights"))
		})
	}
	g := NewWithT(t)
	client := clusterOfTwoRuns()
	deny(client, "list", "batch", "jobs")
	deny(client, "list", "", "configmaps")
	deny(client, "list", "", "serviceaccounts")
	deny(client, "delete", "rbac.authorization.k8s.io", "clusterroles")
	deny(client, "delete", "resource.k8s.io", "resourceslices")
	g.Expect(CleanConfig{}.CleanCluster(t.Context(), client)).To(MatchError(
		`not allowed to list jobs.batch, list configmaps, list serviceaccounts, delete clusterroles.rbac.authorization.k8s.io, delete resourceslices.resource.k8s.io, ` +
			`so that such objects of runs may remain: grant the rights that "draconform rbac --clean" prints, or clean single namespaces with --namespace`))
	g.Expect(remaining(t, client)).To(ConsistOf("admin", "admins", "default", "policing", "policy", "vendor", "slice-of-class-only", "slice-of-vendor",
		"role-one", "slice-of-mig-one", "slice-of-mig-two"), "the rest is removed")

	client = clusterWithGivenNamespaces()
	deny(client, "list", "", "namespaces")
	deny(client, "list", "resource.k8s.io", "deviceclasses")
	g.Expect(CleanConfig{}.CleanCluster(t.Context(), client)).To(MatchError(HavePrefix("not allowed to list namespaces, list deviceclasses.resource.k8s.io, so that")))
	pods, err := client.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(pods.Items).To(ConsistOf(HaveField("Name", "pod")))

	client = clusterWithGivenNamespaces()
	deny(client, "delete", "", "pods")
	g.Expect(CleanConfig{Namespace: "team", RunID: "one"}.CleanCluster(t.Context(), client)).To(MatchError(
		`not allowed to delete pods, so that such objects of runs may remain: grant the rights that "draconform rbac --clean" prints with --namespace team`))
}

// The rights that "draconform rbac --clean" prints are needed, and enough.
func TestCleanUsesItsRightsAndNoOthers(t *testing.T) {
	for name, namespace := range map[string]string{"of the cluster": "", "of a namespace": "team"} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			objects := []runtime.Object{
				&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", Labels: map[string]string{"mig-one/absent": "true"}}}, class("mig-one", "one"), sliceOf("mig-one"),
				&corev1.Namespace{ObjectMeta: labelled("ns-one", "one")},
				&admissionv1.ValidatingAdmissionPolicy{ObjectMeta: labelled("policy", "one")}, &admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: labelled("policing", "one")},
				&rbacv1.ClusterRole{ObjectMeta: labelled("role", "one")}, &rbacv1.ClusterRoleBinding{ObjectMeta: labelled("binding", "one")},
				&rbacv1.Role{ObjectMeta: inNamespace("team", "role", "one")}, &rbacv1.RoleBinding{ObjectMeta: inNamespace("team", "binding", "one")},
				&batchv1.Job{ObjectMeta: inNamespace("team", "job", "one")}, &corev1.ConfigMap{ObjectMeta: inNamespace("team", "drivers", "one")}, &corev1.ServiceAccount{ObjectMeta: inNamespace("team", "account", "one")},
				&corev1.Pod{ObjectMeta: inNamespace("team", "pod", "one")}, &coordinationv1.Lease{ObjectMeta: inNamespace("team", "lease", "one")},
				&resourceapi.ResourceClaim{ObjectMeta: inNamespace("team", "claim", "one")}, &resourceapi.ResourceClaimTemplate{ObjectMeta: inNamespace("team", "template", "one")},
			}
			client := fake.NewClientset(objects...)
			g.Expect(CleanConfig{Namespace: namespace}.CleanCluster(t.Context(), client)).To(Succeed())
			var requests []access.Request
			for _, action := range client.Actions() {
				requests = append(requests, access.Request{
					Verb: action.GetVerb(), Group: action.GetResource().Group, Resource: action.GetResource().Resource, Namespace: action.GetNamespace(),
				})
			}
			missing, unused := access.Compare(access.Run{Clean: true, Namespace: namespace}.Rights(), requests)
			g.Expect(missing).To(BeEmpty())
			g.Expect(unused).To(BeEmpty())
		})
	}
}

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
	var out bytes.Buffer
	c := CleanConfig{DryRun: true, Progress: progress.New(&out)}
	g.Expect(c.CleanCluster(t.Context(), clusterWithJobs())).To(Succeed())
	g.Expect(out.String()).To(Equal(`would remove job default/job-two
would remove job ns-one/job-one
would remove config map default/job-two
would remove service account default/job-two
would remove role binding gpu-system/job-two
would remove role gpu-system/job-two
would remove namespace ns-one
`), "runs are terminated first, and the objects in a namespace are removed with it")

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

func TestCleanErrors(t *testing.T) {
	for name, test := range map[string]struct {
		config CleanConfig
		want   string
	}{
		"provider":  {CleanConfig{Provider: "minikube"}, `wrong configuration: provider "minikube" is not known, use kind or existing`},
		"namespace": {CleanConfig{Provider: Kind, Namespace: "team"}, "wrong configuration: a namespace is only cleaned with provider existing"},
		"run":       {CleanConfig{Provider: Existing, RunID: "a b"}, `wrong configuration: "a b" is not a valid run id`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			err := Clean(context.Background(), test.config)
			g.Expect(err).To(MatchError(ErrConfig))
			g.Expect(err).To(MatchError(test.want))
		})
	}
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
