// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package env_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/suite/env"
)

func TestExistingObjectsCostOneRequest(t *testing.T) {
	pod := func(name string) *corev1.Pod {
		return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}}
	}
	items := func(list *corev1.PodList) []corev1.Pod { return list.Items }
	for name, test := range map[string]struct {
		names []string
		verb  string
		want  []string
	}{
		"one":                    {[]string{"a"}, "get", []string{"a"}},
		"one that does not":      {[]string{"gone"}, "get", nil},
		"several":                {[]string{"b", "gone", "a"}, "list", []string{"a", "b"}},
		"several that all exist": {[]string{"a", "b"}, "list", []string{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset(pod("a"), pod("b"), pod("other"))
			got, err := env.GetExisting(t.Context(), client.CoreV1().Pods("ns"), test.names, items)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(slices.Sorted(maps.Keys(got))).To(Equal(test.want))
			for name, pod := range got {
				g.Expect(pod.Name).To(Equal(name))
			}
			g.Expect(client.Actions()).To(ConsistOf(HaveField("GetVerb()", test.verb)))

			client.PrependReactor("*", "*", func(clienttesting.Action) (bool, runtime.Object, error) {
				return true, nil, errors.New("the API server does not answer")
			})
			_, err = env.GetExisting(t.Context(), client.CoreV1().Pods("ns"), test.names, items)
			g.Expect(err).To(MatchError("the API server does not answer"))
		})
	}
}
