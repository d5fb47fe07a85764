// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package discover

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// clientWith returns a client of a cluster with the objects of a file.
func clientWith(t *testing.T, in Input) *fake.Clientset {
	t.Helper()
	var objects []runtime.Object
	for _, o := range in.Objects.Slices {
		objects = append(objects, o)
	}
	for _, o := range in.Objects.Classes {
		objects = append(objects, o)
	}
	for _, o := range in.DaemonSets {
		objects = append(objects, o)
	}
	objects = append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-1"}}, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-2"}})
	return fake.NewClientset(objects...)
}

// fail makes a client fail to list a resource.
func fail(client *fake.Clientset, resource string, err error) {
	client.PrependReactor("list", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, err })
}

// A cluster is only read, and gives the same file as its objects in files.
func TestListGivesTheSameFile(t *testing.T) {
	g := NewWithT(t)
	in := read(t, "upstream")
	client := clientWith(t, in)
	listed, err := List(t.Context(), client, "testdata/upstream.yaml")
	g.Expect(err).NotTo(HaveOccurred())
	listed.Objects.Nodes = nil
	fromFile, _ := write(t, in, "")
	fromCluster, _ := write(t, listed, "")
	g.Expect(fromCluster).To(Equal(fromFile))
	for _, action := range client.Actions() {
		g.Expect(action.GetVerb()).To(Equal("list"))
	}
}

func TestListWithFewRights(t *testing.T) {
	g := NewWithT(t)
	client := clientWith(t, read(t, "upstream"))
	for _, resource := range []string{"nodes", "daemonsets"} {
		fail(client, resource, apierrors.NewForbidden(schema.GroupResource{Resource: resource}, "", errors.New("no rights")))
	}
	listed, err := List(t.Context(), client, "context kind")
	g.Expect(err).NotTo(HaveOccurred())
	text, d := write(t, listed, "")
	g.Expect(d.DaemonSet).To(BeNil())
	g.Expect(plain(text)).To(ContainSubstring("The DaemonSet with the driver was not found: the DaemonSets cannot be listed: daemonsets is forbidden: no rights."))
	g.Expect(plain(text)).To(ContainSubstring("nodeSelector: the nodes cannot be listed: nodes is forbidden: no rights."))
}

func TestListErrors(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"no DRA": {
			apierrors.NewNotFound(schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceslices"}, ""),
			"context kind does not serve resource.k8s.io/v1: it needs Kubernetes 1.34 or newer, with Dynamic Resource Allocation enabled",
		},
		"no rights": {
			apierrors.NewForbidden(schema.GroupResource{Group: "resource.k8s.io", Resource: "resourceslices"}, "", errors.New("no rights")),
			"list ResourceSlices: resourceslices.resource.k8s.io is forbidden: no rights: ask for the rights that \"draconform rbac\" prints",
		},
	} {
		t.Run(name, func(t *testing.T) {
			client := fake.NewClientset()
			fail(client, "resourceslices", test.err)
			_, err := List(t.Context(), client, "context kind")
			NewWithT(t).Expect(err).To(MatchError(test.want))
		})
	}
}
