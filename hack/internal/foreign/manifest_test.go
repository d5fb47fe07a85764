// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package foreign

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	dynamicfake "k8s.io/client-go/dynamic/fake"
	"k8s.io/client-go/kubernetes/scheme"
)

func TestCreateAndDeleteAllObjectsOfAManifest(t *testing.T) {
	g := NewWithT(t)
	mapper := meta.NewDefaultRESTMapper(nil)
	for kind := range scheme.Scheme.AllKnownTypes() {
		scope := meta.RESTScopeRoot
		if kind.Kind == "ServiceAccount" || kind.Kind == "DaemonSet" {
			scope = meta.RESTScopeNamespace
		}
		mapper.Add(kind, scope)
	}
	content, err := os.ReadFile(filepath.Join("..", "..", "..", "e2e", "vendors", "manifests", "boards.yaml"))
	g.Expect(err).NotTo(HaveOccurred())
	objects, err := Decode(content)
	g.Expect(err).NotTo(HaveOccurred())
	client := dynamicfake.NewSimpleDynamicClient(scheme.Scheme)
	for _, o := range objects {
		g.Expect(create(t.Context(), client, mapper, o)).To(Succeed())
	}
	g.Expect(client.Actions()).To(HaveLen(len(objects)))
	daemonSets := client.Resource(appsv1.SchemeGroupVersion.WithResource("daemonsets")).Namespace(boards.Namespace)
	_, err = daemonSets.Get(t.Context(), boards.DaemonSet, metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	err = create(t.Context(), client, mapper, objects[0])
	g.Expect(err).To(MatchError(ContainSubstring("create Namespace "+boards.Namespace)), "it never changes existing objects")

	for range 2 {
		for _, o := range objects {
			g.Expect(remove(t.Context(), client, mapper, o)).To(Succeed(), "also if it does not exist")
		}
	}
	_, err = daemonSets.Get(t.Context(), boards.DaemonSet, metav1.GetOptions{})
	g.Expect(err).To(MatchError(ContainSubstring("not found")))
}

func TestManifestsWithUnknownFieldsAreRejected(t *testing.T) {
	_, err := Decode([]byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: a, lables: {a: b}}\n"))
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring(`unknown field "metadata.lables"`)))
}
