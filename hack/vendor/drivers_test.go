// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/e2e/specs"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

// source is the folder of the drivers.
var source = filepath.Join("..", "..", "e2e", "vendors")

// object returns the only object of a type.
func object[T runtime.Object](g Gomega, objects []runtime.Object) T {
	var found []T
	for _, o := range objects {
		if one, ok := o.(T); ok {
			found = append(found, one)
		}
	}
	g.Expect(found).To(HaveLen(1))
	return found[0]
}

// described returns a driver file as it is used for a release.
func described(g Gomega, dir string, v vendored, release clusters.Release) *driverfile.Driver {
	path, err := v.describe(source, dir, release)
	g.Expect(err).NotTo(HaveOccurred())
	all, err := driverfile.Read(path)
	g.Expect(err).NotTo(HaveOccurred())
	return all[0]
}

// The manifest, the driver file and the table of drivers agree.
func TestFilesOfADriverAgree(t *testing.T) {
	for _, v := range drivers {
		for _, release := range clusters.Releases() {
			t.Run(v.name+" "+release.Minor, func(t *testing.T) {
				g := NewWithT(t)
				objects, err := v.objects(source, release)
				g.Expect(err).NotTo(HaveOccurred())
				set := object[*appsv1.DaemonSet](g, objects)
				g.Expect([]string{set.Namespace, set.Name}).To(Equal([]string{v.namespace, v.daemonSet}))
				plugin := set.Spec.Template.Spec.Containers[0]
				g.Expect(plugin.Image).To(Equal(v.images(release)[0].Ref))
				hasMetadata := slices.Contains(plugin.Args, "--enable-device-metadata")
				g.Expect(hasMetadata).To(Equal(v.metadataArg != "" && release.AtLeast("1.36")), "the plugin of other releases rejects the argument")

				d := described(g, t.TempDir(), v, release)
				g.Expect(d.Name).To(Equal(v.driver))
				g.Expect(*d.DaemonSet).To(Equal(driverfile.DaemonSet{Namespace: v.namespace, Name: v.daemonSet, Container: plugin.Name}))
				g.Expect(d.Allow.Update.Image).To(Equal(v.images(release)[1].Ref))
				g.Expect(d.Implementation.Version).To(Equal("v" + release.Version))
			})
		}
	}
}

// Specs only request devices through classes of the manifests.
func TestClassesOfDriverFilesExist(t *testing.T) {
	g := NewWithT(t)
	var classes []string
	var all []*driverfile.Driver
	for _, v := range drivers {
		objects, err := v.objects(source, clusters.Newest())
		g.Expect(err).NotTo(HaveOccurred())
		for _, o := range objects {
			if class, ok := o.(*resourceapi.DeviceClass); ok {
				classes = append(classes, class.Name)
				g.Expect(class.Spec.Config[0].Opaque.Driver).To(Equal(v.driver))
			}
		}
		all = append(all, described(g, t.TempDir(), v, clusters.Newest()))
	}
	of, err := subject.Of(all...)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(of.Classes).To(BeEmpty(), "the run creates no classes")
	for _, class := range []string{of.Exclusive.Device.Class, of.Shared.Share.Class, of.Partitions.Small.Class, of.Partitions.Big.Class, of.Partitions.Whole.Class} {
		g.Expect(classes).To(ContainElement(class))
	}
}

// A driver of a vendor knows nothing of the suite, and has only the rights that
// a kubelet plugin needs.
func TestManifestsHaveLeastPrivilege(t *testing.T) {
	for _, v := range drivers {
		t.Run(v.name, func(t *testing.T) {
			g := NewWithT(t)
			content, err := os.ReadFile(v.manifest(source))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(string(content)).NotTo(ContainSubstring("draconform"))
			objects, err := v.objects(source, clusters.Newest())
			g.Expect(err).NotTo(HaveOccurred())

			g.Expect(object[*rbacv1.ClusterRole](g, objects).Rules).To(ConsistOf(
				rbacv1.PolicyRule{APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceslices"}, Verbs: []string{"list", "watch", "create", "update", "delete"}},
				rbacv1.PolicyRule{APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceclaims"}, Verbs: []string{"get"}},
				rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"get"}},
			))
			binding := object[*rbacv1.ClusterRoleBinding](g, objects)
			g.Expect(binding.RoleRef.Name).To(Equal(object[*rbacv1.ClusterRole](g, objects).Name))
			account := object[*corev1.ServiceAccount](g, objects)
			g.Expect(binding.Subjects).To(Equal([]rbacv1.Subject{{Kind: "ServiceAccount", Namespace: account.Namespace, Name: account.Name}}))

			pod := object[*appsv1.DaemonSet](g, objects).Spec.Template.Spec
			g.Expect(pod.ServiceAccountName).To(Equal(account.Name))
			var paths []string
			for _, volume := range pod.Volumes {
				paths = append(paths, volume.HostPath.Path)
			}
			g.Expect(paths).To(ConsistOf("/var/lib/kubelet/plugins/"+v.driver, "/var/lib/kubelet/plugins_registry", "/var/run/cdi"))
			security := pod.Containers[0].SecurityContext
			g.Expect(security.Privileged).To(BeNil())
			g.Expect(security.AllowPrivilegeEscalation).To(HaveValue(BeFalse()))
			g.Expect(security.ReadOnlyRootFilesystem).To(HaveValue(BeTrue()))
			g.Expect(security.Capabilities.Drop).To(Equal([]corev1.Capability{"ALL"}))
		})
	}
}

func TestDriverFileNeedsOneVersion(t *testing.T) {
	g := NewWithT(t)
	dir := t.TempDir()
	v := drivers[0]
	content, err := os.ReadFile(v.driverFile(source))
	g.Expect(err).NotTo(HaveOccurred())
	write := func(text string) { g.Expect(os.WriteFile(v.driverFile(dir), []byte(text), 0o600)).To(Succeed()) }
	write(strings.Replace(string(content), "  version: v", "  version:  v", 1))
	_, err = v.describe(dir, t.TempDir(), clusters.Newest())
	g.Expect(err).To(MatchError(ContainSubstring(`must have one line "version: v`)))
	write("apiVersion: draconform.dev/v1alpha1\nkind: Driver\nname: a.example.com\n")
	_, err = v.describe(dir, t.TempDir(), clusters.Newest())
	g.Expect(err).To(MatchError(ContainSubstring("must describe one driver, with its implementation")))
}

func TestExpectedOutcomesAreOfExistingSpecs(t *testing.T) {
	_, err := readExpected(filepath.Join(source, expectedFile), specs.All())
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
}
