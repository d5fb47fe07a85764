// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
)

// An API server that refuses a request answers. One whose etcd does not work, does
// not.
func TestReach(t *testing.T) {
	for name, test := range map[string]struct {
		err      error
		answered bool
	}{
		"forbidden":           {apierrors.NewForbidden(corev1.Resource("namespaces"), "ours", errors.New("no rights")), true},
		"not found":           {apierrors.NewNotFound(corev1.Resource("namespaces"), "ours"), true},
		"too many requests":   {apierrors.NewTooManyRequests("slow down", 1), true},
		"refused":             {syscall.ECONNREFUSED, false},
		"service unavailable": {apierrors.NewServiceUnavailable("no endpoints"), false},
		"internal error":      {apierrors.NewInternalError(errors.New("etcdserver: no leader")), false},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			client := fake.NewClientset()
			client.PrependReactor("get", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, test.err })
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			away, err := New(Config{Client: client, Namespace: "ours"}).Reach(ctx)
			g.Expect(away).To(Equal(!test.answered))
			if test.answered {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(And(HavePrefix("the API server does not answer: "), ContainSubstring(test.err.Error()))))
			}
		})
	}
}
