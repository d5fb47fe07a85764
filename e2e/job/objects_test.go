// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// TestRender prints the manifests of Jobs: the whole one, or in "render driver"
// what the options change.
func TestRender(t *testing.T) {
	datadriven.RunTest(t, "testdata/render", func(_ *testing.T, d *datadriven.TestData) string {
		o := Options{RunID: testID, Arch: "amd64", Rights: withFakes}
		if d.HasArg("everything") {
			o = everything()
		}
		manifest, err := Render(o)
		if err != nil {
			return "error: " + err.Error()
		}
		if only := d.CmdArgs; len(only) > 0 && only[0].Key == "kind" {
			for document := range strings.SplitSeq(string(manifest), "---\n") {
				if strings.Contains(document, "\nkind: "+only[0].Vals[0]+"\n") {
					return document
				}
			}
		}
		return string(manifest)
	})
}

// The Job's objects belong to its run, so that "draconform clean" finds them.
func TestAllObjectsBelongToTheRun(t *testing.T) {
	for name, test := range map[string]struct {
		options           Options
		prefix, namespace string
	}{
		"defaults":   {Options{RunID: testID, Rights: withFakes}, "draconform-a1b2", "draconform-a1b2"},
		"everything": {everything(), "judge", "gpus"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			objects, err := Objects(test.options)
			g.Expect(err).NotTo(HaveOccurred())
			for _, object := range objects {
				accessor, err := meta.Accessor(object)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(accessor.GetLabels()).To(HaveKeyWithValue("draconform.dev/run", testID), "%T", object)
				g.Expect(accessor.GetName()).To(HavePrefix(test.prefix), "%T", object)
				switch object.(type) {
				case *rbacv1.Role, *rbacv1.RoleBinding:
					g.Expect(accessor.GetNamespace()).To(BeElementOf("specs", "gpu-system"), "where the run has rights")
					continue
				}
				if accessor.GetNamespace() != "" {
					g.Expect(accessor.GetNamespace()).To(Equal(test.namespace), "%T", object)
				}
			}
		})
	}
}

// A cluster rejects what does not decode strictly.
func TestRenderedObjectsDecodeStrictly(t *testing.T) {
	g := NewWithT(t)
	manifest, err := Render(everything())
	g.Expect(err).NotTo(HaveOccurred())
	n := 0
	for document := range strings.SplitSeq(string(manifest), "---\n") {
		var kind struct{ Kind string }
		g.Expect(yaml.Unmarshal([]byte(document), &kind)).To(Succeed())
		into := map[string]any{
			"ServiceAccount": &corev1.ServiceAccount{}, "ConfigMap": &corev1.ConfigMap{}, "Job": &batchv1.Job{},
			"ClusterRole": &rbacv1.ClusterRole{}, "ClusterRoleBinding": &rbacv1.ClusterRoleBinding{}, "Role": &rbacv1.Role{}, "RoleBinding": &rbacv1.RoleBinding{},
		}[kind.Kind]
		g.Expect(into).NotTo(BeNil(), kind.Kind)
		g.Expect(yaml.UnmarshalStrict([]byte(document), into)).To(Succeed(), kind.Kind)
		g.Expect(document).NotTo(ContainSubstring("creationTimestamp"))
		n++
	}
	g.Expect(n).To(Equal(9))
}

func jobOf(t *testing.T, o Options) *batchv1.Job {
	t.Helper()
	g := NewWithT(t)
	objects, err := Objects(o)
	g.Expect(err).NotTo(HaveOccurred())
	job, ok := objects[len(objects)-1].(*batchv1.Job)
	g.Expect(ok).To(BeTrue(), "the Job is created last")
	return job
}

// only returns the one object of a kind that a Job comes with.
func only[T runtime.Object](t *testing.T, o Options) T {
	t.Helper()
	g := NewWithT(t)
	objects, err := Objects(o)
	g.Expect(err).NotTo(HaveOccurred())
	var all []T
	for _, object := range objects {
		if of, ok := object.(T); ok {
			all = append(all, of)
		}
	}
	g.Expect(all).To(HaveLen(1))
	return all[0]
}

// The roles have the rights of the run, and are bound to the account of its pod.
func TestRolesAreThoseOfTheRun(t *testing.T) {
	g := NewWithT(t)
	for _, o := range []Options{{RunID: testID, Rights: withFakes}, everything()} {
		objects, err := Objects(o)
		g.Expect(err).NotTo(HaveOccurred())
		o, err = o.complete()
		g.Expect(err).NotTo(HaveOccurred())
		rules, want := map[string][]rbacv1.PolicyRule{}, map[string][]rbacv1.PolicyRule{}
		collect := func(into map[string][]rbacv1.PolicyRule, objects []runtime.Object) {
			for _, object := range objects {
				switch r := object.(type) {
				case *rbacv1.ClusterRole:
					into[""] = r.Rules
				case *rbacv1.Role:
					into[r.Namespace] = r.Rules
				}
			}
		}
		collect(rules, objects)
		collect(want, o.Rights.Roles("any", nil))
		g.Expect(rules).To(Equal(want))
		bound := 0
		for _, object := range objects {
			switch b := object.(type) {
			case *rbacv1.ClusterRoleBinding:
				bound++
				g.Expect(b.RoleRef.Name).To(Equal(o.Name))
				g.Expect(b.Subjects).To(ConsistOf(rbacv1.Subject{Kind: "ServiceAccount", Namespace: o.namespace(), Name: o.Name}))
			case *rbacv1.RoleBinding:
				bound++
				g.Expect(b.RoleRef.Name).To(Equal(o.Name))
				g.Expect(b.Subjects).To(ConsistOf(rbacv1.Subject{Kind: "ServiceAccount", Namespace: o.namespace(), Name: o.Name}))
			}
		}
		g.Expect(bound).To(Equal(len(rules)))
	}
}

// Files of different folders may have the same name, or names that are no keys of
// a ConfigMap.
func TestDriverFilesHaveDifferentNames(t *testing.T) {
	g := NewWithT(t)
	o := Options{RunID: testID, Drivers: []DriverFile{{"a/x.yaml", []byte("1")}, {"b/x.yaml", []byte("2")}, {"ä.yaml", []byte("3")}}}
	g.Expect(only[*corev1.ConfigMap](t, o).Data).To(Equal(map[string]string{"x.yaml": "1", "driver-2.yaml": "2", "driver-3.yaml": "3"}))
	g.Expect(jobOf(t, o).Spec.Template.Spec.Containers[0].Args).To(ContainElements(
		"--driver=/etc/draconform/drivers/x.yaml", "--driver=/etc/draconform/drivers/driver-2.yaml", "--driver=/etc/draconform/drivers/driver-3.yaml"))
	g.Expect(o.Drivers[0].Name).To(Equal("a/x.yaml"), "the options of the caller are not changed")

	o.Drivers = []DriverFile{{"a/driver-2.yaml", []byte("1")}, {"b/driver-2.yaml", []byte("2")}}
	g.Expect(only[*corev1.ConfigMap](t, o).Data).To(Equal(map[string]string{"driver-2.yaml": "1", "driver-3.yaml": "2"}))
}
