// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package multihost_test

import (
	"bytes"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/fakedriver/multihost"
	"github.com/draconform/draconform/fakedriver/topology"
	"github.com/draconform/draconform/manifests"
)

// objects decodes the manifest. It returns the objects of one type.
func objects[T runtime.Object](t *testing.T) []T {
	t.Helper()
	g := NewWithT(t)
	data, err := manifests.FS.ReadFile("multihost.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var out []T
	for document := range bytes.SplitSeq(data, []byte("\n---\n")) {
		encoded, err := yaml.YAMLToJSONStrict(document)
		g.Expect(err).NotTo(HaveOccurred())
		object, _, err := decoder.Decode(encoded, nil, nil)
		g.Expect(err).NotTo(HaveOccurred(), "%s", document)
		if wanted, ok := object.(T); ok {
			out = append(out, wanted)
		}
	}
	return out
}

// permissions lists the permissions of the rules as "verb resource.group".
func permissions(rules []rbacv1.PolicyRule) []string {
	var out []string
	for _, rule := range rules {
		for _, verb := range rule.Verbs {
			out = append(out, verb+" "+rule.Resources[0]+"."+rule.APIGroups[0])
		}
	}
	return out
}

// Guards that the manifest grants exactly the permissions that a controller
// uses.
func TestPermissionsAreMinimal(t *testing.T) {
	t.Parallel()
	c := newCluster(t, hosts(16))
	lease := objects[*coordinationv1.Lease](t)[0]
	lease.Namespace, lease.Name = "drivers", driver
	c.g.Expect(c.server.Client.Tracker().Add(lease)).To(Succeed())
	first := c.start(t, "a")
	c.eventuallyAvailable(allDevices...)
	c.setLabel(1, "gone")
	c.eventuallyAvailable(withoutHost1...)
	first.stop()
	second := c.start(t, "b", func(config *multihost.Config) { config.Topology, _ = topology.Load("8x8") })
	second.eventuallySays("200 15 of 16 hosts")
	c.g.Eventually(c.stored, patience, "10ms").Should(HaveLen(2), "slices of both topologies are left")
	second.stop()

	var used []string
	for _, action := range slices.Concat(first.client.Actions(), second.client.Actions()) {
		resource := action.GetResource()
		used = append(used, action.GetVerb()+" "+resource.Resource+"."+resource.Group)
	}
	slices.Sort(used)
	clusterRole, role := objects[*rbacv1.ClusterRole](t)[0], objects[*rbacv1.Role](t)[0]
	c.g.Expect(slices.Concat(permissions(clusterRole.Rules), permissions(role.Rules))).To(ConsistOf(slices.Compact(used)))
	for _, permission := range permissions(role.Rules) {
		c.g.Expect(permission).To(HaveSuffix(" leases.coordination.k8s.io"), "other objects are cluster-scoped")
	}
}

func TestManifestIsConsistent(t *testing.T) {
	g := NewWithT(t)
	account := objects[*corev1.ServiceAccount](t)[0]
	deployment := objects[*appsv1.Deployment](t)[0]
	g.Expect(deployment.Spec.Template.Spec.ServiceAccountName).To(Equal(account.Name))
	g.Expect(deployment.Spec.Selector.MatchLabels).To(Equal(deployment.Spec.Template.Labels))
	subjects := []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: account.Namespace, Name: account.Name}}
	g.Expect(objects[*rbacv1.ClusterRoleBinding](t)[0].Subjects).To(Equal(subjects))
	g.Expect(objects[*rbacv1.RoleBinding](t)[0].Subjects).To(Equal(subjects))

	driver := account.Name
	g.Expect(deployment.Spec.Template.Spec.Containers[0].Args).To(ContainElement("--driver-name=" + driver))
	class := objects[*resourceapi.DeviceClass](t)[0]
	g.Expect(class.Name).To(Equal(driver))
	g.Expect(class.Spec.Selectors[0].CEL.Expression).To(Equal(`device.driver == "` + driver + `"`))
	// The name of the lease is that of the driver.
	named := slices.DeleteFunc(objects[*rbacv1.Role](t)[0].Rules, func(rule rbacv1.PolicyRule) bool { return rule.ResourceNames == nil })
	g.Expect(named).To(HaveLen(1))
	g.Expect(named[0].ResourceNames).To(Equal([]string{driver}))
}

// The pod must be allowed in a namespace with the pod security standard
// "restricted".
func TestPodIsRestricted(t *testing.T) {
	g := NewWithT(t)
	pod := objects[*appsv1.Deployment](t)[0].Spec.Template.Spec
	g.Expect(pod.SecurityContext.RunAsNonRoot).To(HaveValue(BeTrue()))
	g.Expect(pod.SecurityContext.RunAsUser).To(HaveValue(BeNumerically(">", 0)), "runAsNonRoot requires a user, as the image has none")
	g.Expect(pod.SecurityContext.SeccompProfile.Type).To(Equal(corev1.SeccompProfileTypeRuntimeDefault))
	g.Expect(pod.HostNetwork || pod.HostPID || pod.HostIPC).To(BeFalse())
	g.Expect(pod.Volumes).To(BeEmpty())
	container := pod.Containers[0].SecurityContext
	g.Expect(container.AllowPrivilegeEscalation).To(HaveValue(BeFalse()))
	g.Expect(container.ReadOnlyRootFilesystem).To(HaveValue(BeTrue()))
	g.Expect(container.Capabilities).To(Equal(&corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}))
}
