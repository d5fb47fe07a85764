// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package access

import (
	"os"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/manifests"
)

func TestRolesAreLimitedToNamespaces(t *testing.T) {
	g := NewWithT(t)
	objects := Run{Namespace: "team", Drivers: reading(t, daemonSet+"allow: {restart: true}")}.Roles("draconform", &Account{"team", "runner"})
	g.Expect(objects).To(HaveLen(6))
	cluster, driver, team := objects[0].(*rbacv1.ClusterRole), objects[2].(*rbacv1.Role), objects[4].(*rbacv1.Role)
	g.Expect(driver.Namespace).To(Equal("gpu-system"))
	g.Expect(driver.Rules).To(ConsistOf(
		rbacv1.PolicyRule{APIGroups: []string{"apps"}, Resources: []string{"daemonsets"}, Verbs: []string{"get"}},
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"list", "delete"}},
	))
	g.Expect(team.Rules).To(ContainElement(rbacv1.PolicyRule{APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"create", "get", "update", "delete"}}))
	g.Expect(cluster.Rules).To(ContainElement(rbacv1.PolicyRule{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}))
	for _, rule := range cluster.Rules {
		g.Expect(rule.Resources).NotTo(ContainElement("pods"))
	}
	g.Expect(objects[5].(*rbacv1.RoleBinding).Subjects).To(ConsistOf(rbacv1.Subject{Kind: "ServiceAccount", Namespace: "team", Name: "runner"}))
}

func TestManifestHasTheRoleOfARunWithoutOptions(t *testing.T) {
	g := NewWithT(t)
	want, err := Run{}.Manifest("draconform", nil)
	g.Expect(err).NotTo(HaveOccurred())
	got, err := os.ReadFile("../../../manifests/guest.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(got)).To(Equal(string(want)), "write it with: draconform rbac > manifests/guest.yaml")
}

// A run that installs the fake drivers can apply, compare and remove each of their
// objects, and has the rights that their roles grant, which the API server demands.
func TestRunsCanInstallTheFakes(t *testing.T) {
	g := NewWithT(t)
	rights := Run{Fakes: true}.Rights()
	resources := map[string]string{}
	for _, file := range []string{"fakedriver.yaml", "multihost.yaml"} {
		content, err := manifests.FS.ReadFile(file)
		g.Expect(err).NotTo(HaveOccurred())
		for document := range strings.SplitSeq(string(content), "\n---\n") {
			var object struct {
				metav1.TypeMeta
				Rules []rbacv1.PolicyRule
			}
			g.Expect(yaml.Unmarshal([]byte(document), &object)).To(Succeed())
			group, err := schema.ParseGroupVersion(object.APIVersion)
			g.Expect(err).NotTo(HaveOccurred())
			resource, _ := meta.UnsafeGuessKindToResource(group.WithKind(object.Kind))
			resources[resource.Resource] = resource.Group
			for _, rule := range object.Rules {
				for _, verb := range rule.Verbs {
					g.Expect(rule.APIGroups).To(HaveLen(1))
					for _, granted := range rule.Resources {
						g.Expect(rights).To(ContainElement(HaveField("String()", Right{Verb: verb, Group: rule.APIGroups[0], Resource: granted}.String())), "%s of %s", object.Kind, file)
					}
				}
			}
		}
	}
	g.Expect(len(resources)).To(BeNumerically(">=", 10))
	for resource, group := range resources {
		for _, verb := range []string{"get", "create", "patch", "delete"} {
			g.Expect(rights).To(ContainElement(HaveField("String()", Right{Verb: verb, Group: group, Resource: resource}.String())))
		}
	}
}
