// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/clusters/progress"
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
		&schedulingv1.PriorityClass{ObjectMeta: labelled("low-one", "one")}, &schedulingv1.PriorityClass{ObjectMeta: labelled("critical", "")},
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
	unlabelled := []string{"admin", "admins", "critical", "default", "policing", "policy", "slice-of-class-only", "slice-of-vendor", "vendor"}
	for name, test := range map[string]struct {
		config CleanConfig
		want   []string
	}{
		"of all runs":       {CleanConfig{}, unlabelled},
		"of one run":        {CleanConfig{RunID: "one"}, append([]string{"class-only", "mig-two", "ns-two", "slice-of-mig-two"}, unlabelled...)},
		"of an unknown run": {CleanConfig{RunID: "three"}, remaining(t, clusterOfTwoRuns())},
		"of a dry run":      {CleanConfig{DryRun: func(Leftover) {}}, remaining(t, clusterOfTwoRuns())},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := clusterOfTwoRuns()
			g.Expect(test.config.CleanCluster(t.Context(), client)).To(Succeed())
			g.Expect(remaining(t, client)).To(ConsistOf(test.want))
		})
	}
}

// wouldRemove returns what a dry run would remove from a cluster. It writes nothing itself.
func wouldRemove(t *testing.T, c CleanConfig, client *fake.Clientset) (all []string) {
	t.Helper()
	g := NewWithT(t)
	var out bytes.Buffer
	c.Progress = progress.New(&out)
	c.DryRun = func(l Leftover) { all = append(all, l.String()) }
	g.Expect(c.CleanCluster(t.Context(), client)).To(Succeed())
	g.Expect(out.String()).To(BeEmpty())
	return all
}

func TestCleanDryRun(t *testing.T) {
	NewWithT(t).Expect(wouldRemove(t, CleanConfig{RunID: "one"}, clusterOfTwoRuns())).To(Equal([]string{
		"namespace ns-one",
		"validating admission policy binding policing-one",
		"validating admission policy policy-one",
		"cluster role binding binding-one",
		"cluster role role-one",
		"device class mig-one",
		"priority class low-one",
		"slices of driver mig-one",
		"node labels of driver mig-one",
	}), "in the order of removal")
}

// A failed deletion does not prevent the deletion of other objects.
func TestCleanContinuesAfterErrors(t *testing.T) {
	g := NewWithT(t)
	client := clusterOfTwoRuns()
	forbidden := errors.New("forbidden")
	client.PrependReactor("delete", "clusterroles", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, forbidden })
	err := CleanConfig{RunID: "one"}.CleanCluster(t.Context(), client)
	g.Expect(err).To(MatchError("remove cluster role role-one: forbidden"))
	g.Expect(remaining(t, client)).NotTo(ContainElement(BeElementOf("mig-one", "slice-of-mig-one")))
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

// servesTaintRules returns the resources of a cluster that serves
// DeviceTaintRules in a version of the API.
func servesTaintRules(version string) []*metav1.APIResourceList {
	return []*metav1.APIResourceList{{GroupVersion: version, APIResources: []metav1.APIResource{{Name: "devicetaintrules"}}}}
}

// Rules are for the whole cluster, and taint devices until they are removed.
func TestCleanRemovesTaintRules(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset(&resourcev1beta2.DeviceTaintRule{ObjectMeta: labelled("rule-one", "one")}, &resourcev1beta2.DeviceTaintRule{ObjectMeta: labelled("rule", "")})
	client.Resources = servesTaintRules("resource.k8s.io/v1beta2")
	g.Expect(CleanConfig{RunID: "one"}.CleanCluster(t.Context(), client)).To(Succeed())
	left, err := client.ResourceV1beta2().DeviceTaintRules().List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left.Items).To(ConsistOf(HaveField("Name", "rule")))
}

// Requests for the status of pools are for the whole cluster. Most clusters do
// not serve them.
func TestCleanRemovesPoolStatusRequests(t *testing.T) {
	g := NewWithT(t)
	client := fake.NewClientset(
		&resourcev1alpha3.ResourcePoolStatusRequest{ObjectMeta: labelled("request-one", "one")}, &resourcev1alpha3.ResourcePoolStatusRequest{ObjectMeta: labelled("request", "")},
	)
	g.Expect(CleanConfig{RunID: "one"}.CleanCluster(t.Context(), client)).To(Succeed())
	left, err := client.ResourceV1alpha3().ResourcePoolStatusRequests().List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left.Items).To(ConsistOf(HaveField("Name", "request")))

	client.PrependReactor("list", "resourcepoolstatusrequests", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewNotFound(resourcev1alpha3.Resource("resourcepoolstatusrequests"), "")
	})
	g.Expect(CleanConfig{}.CleanCluster(t.Context(), client)).To(Succeed(), "in a cluster that does not serve them")
}
