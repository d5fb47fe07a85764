// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// A caller may have no rights on other namespaces.
func TestFollowerOfOneNamespace(t *testing.T) {
	g := NewWithT(t)
	var objects []runtime.Object
	for _, namespace := range []string{"own", "other"} {
		objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
			&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pod"}})
	}
	client := fake.NewClientset(objects...)
	f := following(t, client)
	v := read(t, f)
	g.Expect([]int{len(v.Pods), len(v.Namespaces)}).To(HaveEach(2), "without a namespace")

	f.Namespace = "own"
	client.PrependReactor("list", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, errors.New("forbidden")
	})
	v = read(t, f)
	g.Expect(v.Pods).To(HaveExactElements(HaveField("Namespace", "own")))
	g.Expect(v.Namespaces).To(HaveExactElements(HaveField("Name", "own")))

	g.Expect(client.CoreV1().Namespaces().Delete(t.Context(), "own", metav1.DeleteOptions{})).To(Succeed())
	_, err := f.Read(t.Context())
	g.Expect(err).To(MatchError(`read the allocations: namespaces "own" not found`))
}

// The namespaces of the specs that run at the same time, and their pods, are not read.
func TestFollowerOfThePodsOfNamespaces(t *testing.T) {
	g := NewWithT(t)
	var objects []runtime.Object
	for _, namespace := range []string{"own", "second", "other"} {
		objects = append(objects, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "pod"}}, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	}
	f := following(t, fake.NewClientset(objects...))
	f.PodsOf = []string{"own", "second", "third"}
	v := read(t, f)
	g.Expect(v.Pods).To(HaveExactElements(HaveField("Namespace", "own"), HaveField("Namespace", "second")))
	g.Expect(v.Namespaces).To(HaveExactElements(HaveField("Name", "own"), HaveField("Name", "second")))
}

// The slices of several drivers are those of one state, and the slices of other drivers
// are not read unless the API server has no such state.
func TestFollowerOfDriversReadsOneState(t *testing.T) {
	g := NewWithT(t)
	of := func(driver string) resourceapi.ResourceSlice {
		return resourceapi.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: driver}, Spec: resourceapi.ResourceSliceSpec{Driver: driver}}
	}
	client := fake.NewClientset()
	f := following(t, client, "a", "b")
	var asked []string
	expired := false
	client.PrependReactor("list", "resourceslices", func(action clienttesting.Action) (bool, runtime.Object, error) {
		o := action.(clienttesting.ListActionImpl).ListOptions
		asked = append(asked, fmt.Sprintf("%s at %s %s", o.FieldSelector, o.ResourceVersion, o.ResourceVersionMatch))
		if expired && o.ResourceVersion != "" {
			return true, nil, apierrors.NewResourceExpired("too old")
		}
		return true, &resourceapi.ResourceSliceList{
			ListMeta: metav1.ListMeta{ResourceVersion: "7"}, Items: []resourceapi.ResourceSlice{of("a"), of("b"), of("c")}, // Fake clients ignore selectors.
		}, nil
	})
	v, err := f.Read(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(asked).To(Equal([]string{"spec.driver=a at  ", "spec.driver=b at 7 Exact"}))
	g.Expect(v.Slices).To(HaveExactElements(HaveField("Name", "a"), HaveField("Name", "b")))

	asked, expired = nil, true
	v, err = f.Read(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(asked).To(Equal([]string{"spec.driver=a at  ", "spec.driver=b at 7 Exact", " at  "}))
	g.Expect(v.Slices).To(HaveLen(3))
}

// The API version of DeviceTaintRules depends on the release, so that a caller lists them.
func TestFollowerReadsTaintRules(t *testing.T) {
	g := NewWithT(t)
	f := following(t, fake.NewClientset())
	g.Expect(read(t, f).TaintRules).To(BeEmpty())
	rule := taintRule()
	f.TaintRules = func(context.Context) (*resourceapi.DeviceTaintRuleList, error) {
		return &resourceapi.DeviceTaintRuleList{Items: []resourceapi.DeviceTaintRule{rule}}, nil
	}
	g.Expect(read(t, f).TaintRules).To(Equal([]resourceapi.DeviceTaintRule{rule}))
	f.TaintRules = func(context.Context) (*resourceapi.DeviceTaintRuleList, error) { return nil, errors.New("forbidden") }
	_, err := f.Read(t.Context())
	g.Expect(err).To(MatchError("read the device taint rules: forbidden"))
}
