// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package namespaces

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/suite/env"
)

// A namespace is also deleted if the answer of the API server was lost, unless it existed
// before.
func TestCreateLeavesNoNamespaceAfterAnError(t *testing.T) {
	foreign := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "foreign"}}
	for name, want := range map[string]string{
		"spec":    "create namespace spec: context deadline exceeded",
		"foreign": `create namespace foreign: namespaces "foreign" already exists`,
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset(foreign)
			client.PrependReactor("create", "namespaces", func(action clienttesting.Action) (bool, runtime.Object, error) {
				object := action.(clienttesting.CreateAction).GetObject()
				if err := client.Tracker().Create(action.GetResource(), object, ""); err != nil {
					return true, nil, err
				}
				return true, nil, context.DeadlineExceeded
			})
			e := &env.Env{Client: client, Namespace: name, Timeouts: env.Timeouts{Deletion: time.Minute}}
			g.Expect(Create(t.Context(), e)).To(MatchError(want))
			left, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(left.Items).To(ConsistOf(HaveField("Name", "foreign")))
		})
	}
}
