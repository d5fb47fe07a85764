// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/internal/access"
)

// A caller with few rights removes what it can. The error has the missing rights once, and
// what to do.
func TestCleanWithoutRights(t *testing.T) {
	deny := func(client *fake.Clientset, verb, group, resource string) {
		client.PrependReactor(verb, resource, func(clienttesting.Action) (bool, runtime.Object, error) {
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
	g.Expect(remaining(t, client)).To(ConsistOf("admin", "admins", "critical", "default", "policing", "policy", "vendor", "slice-of-class-only", "slice-of-vendor",
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
				&resourceapi.DeviceTaintRule{ObjectMeta: labelled("rule", "one")}, &resourcev1alpha3.ResourcePoolStatusRequest{ObjectMeta: labelled("request", "one")},
				&schedulingv1.PriorityClass{ObjectMeta: labelled("low", "one")},
			}
			client := fake.NewClientset(objects...)
			client.Resources = servesTaintRules("resource.k8s.io/v1")
			g.Expect(CleanConfig{Namespace: namespace}.CleanCluster(t.Context(), client)).To(Succeed())
			var requests []access.Request
			for _, action := range client.Actions() {
				if action.GetResource().Resource == "resource" {
					continue // All users may discover the API.
				}
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
