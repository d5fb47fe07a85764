package main

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientscheme "k8s.io/client-go/kubernetes/scheme"

	"github.com/draconform/draconform/clusters/images"
)

// rendered returns the objects of a second scheduler named s in namespace ns.
func rendered(t *testing.T) []runtime.Object {
	t.Helper()
	g := NewWithT(t)
	text, err := secondScheduler{name: "s", namespace: "ns", image: images.Scheduler.Ref}.render()
	g.Expect(err).NotTo(HaveOccurred())
	strict := serializer.NewCodecFactory(clientscheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []runtime.Object
	for document := range strings.SplitSeq(text, "\n---\n") {
		object, _, err := strict.Decode([]byte(document), nil, nil)
		g.Expect(err).NotTo(HaveOccurred(), document)
		objects = append(objects, object)
	}
	return objects
}

// only returns the only object of a type.
func only[T runtime.Object](t *testing.T) T {
	t.Helper()
	var found []T
	for _, object := range rendered(t) {
		if o, ok := object.(T); ok {
			found = append(found, o)
		}
	}
	NewWithT(t).Expect(found).To(HaveLen(1))
	return found[0]
}

func TestSecondSchedulerIsConfined(t *testing.T) {
	g := NewWithT(t)
	pod := only[*appsv1.Deployment](t).Spec.Template.Spec
	g.Expect(*pod.SecurityContext.RunAsNonRoot).To(BeTrue())
	g.Expect(*pod.SecurityContext.RunAsUser).To(BeNumerically(">", 0))
	g.Expect(pod.HostNetwork || pod.HostPID || pod.HostIPC).To(BeFalse())
	g.Expect(pod.Containers).To(HaveLen(1))
	c := pod.Containers[0]
	g.Expect(*c.SecurityContext.ReadOnlyRootFilesystem).To(BeTrue())
	g.Expect(*c.SecurityContext.AllowPrivilegeEscalation).To(BeFalse())
	g.Expect(c.SecurityContext.Capabilities.Drop).To(ConsistOf(corev1.Capability("ALL")))
	g.Expect([]any{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe}).NotTo(ContainElement(BeNil()))
	g.Expect(c.Resources.Limits).To(HaveKey(corev1.ResourceMemory))
	g.Expect(c.Image).To(Equal(images.Scheduler.Ref), "the manifest has the release of the image")
}

func TestSecondSchedulerWritePermissions(t *testing.T) {
	g := NewWithT(t)
	writes := map[string][]string{}
	for _, rule := range only[*rbacv1.ClusterRole](t).Rules {
		g.Expect(slices.Concat(rule.APIGroups, rule.Resources, rule.Verbs)).NotTo(ContainElement("*"))
		for _, resource := range rule.Resources {
			for _, verb := range rule.Verbs {
				if verb != "get" && verb != "list" && verb != "watch" {
					writes[resource] = append(writes[resource], verb)
				}
			}
		}
	}
	g.Expect(writes).To(Equal(map[string][]string{
		"pods": {"delete"}, "pods/binding": {"create"}, "pods/status": {"patch"},
		"resourceclaims": {"create", "update", "delete"}, "resourceclaims/status": {"update", "patch"}, "resourceclaims/binding": {"update", "patch"},
		"persistentvolumes": {"update"}, "persistentvolumeclaims": {"update"},
		"events": {"create", "patch"}, "tokenreviews": {"create"}, "subjectaccessreviews": {"create"},
	}))
	for _, rule := range only[*rbacv1.Role](t).Rules {
		g.Expect(rule.Resources).To(ConsistOf("leases"))
		if !slices.Equal(rule.Verbs, []string{"create"}) {
			g.Expect(rule.ResourceNames).To(ConsistOf("s"), "only its own lease")
		}
	}
}

func TestSecondSchedulerHasItsPermissions(t *testing.T) {
	g := NewWithT(t)
	account := only[*corev1.ServiceAccount](t)
	g.Expect(account.Name + " in " + account.Namespace).To(Equal("s in ns"))
	subject := rbacv1.Subject{Kind: "ServiceAccount", Name: "s", Namespace: "ns"}
	g.Expect(only[*rbacv1.ClusterRoleBinding](t).Subjects).To(ConsistOf(subject))
	g.Expect(only[*rbacv1.ClusterRoleBinding](t).RoleRef.Name).To(Equal(only[*rbacv1.ClusterRole](t).Name))
	g.Expect(only[*rbacv1.RoleBinding](t).Subjects).To(ConsistOf(subject))
	g.Expect(only[*rbacv1.RoleBinding](t).RoleRef.Name).To(Equal(only[*rbacv1.Role](t).Name))
	g.Expect(only[*appsv1.Deployment](t).Spec.Template.Spec.ServiceAccountName).To(Equal("s"))
}
