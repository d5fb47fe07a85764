// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package audit_test

import (
	"context"
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
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
