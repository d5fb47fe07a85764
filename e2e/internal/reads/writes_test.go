// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package reads_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

var (
	unasked = status(http.StatusInternalServerError, metav1.StatusReasonInternalError,
		`Internal error occurred: failed calling webhook "mutate.example.com": failed to call webhook: context deadline exceeded`)
	created = content(http.StatusCreated, `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"one"}}`)
)

func create(ctx context.Context, client kubernetes.Interface) error {
	_, err := client.CoreV1().Pods("ns").Create(ctx, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "one"}}, metav1.CreateOptions{})
	return err
}

// The API server has not performed a write if it could not ask a webhook.
func TestWritesThatAWebhookDidNotAnswerAreRepeated(t *testing.T) {
	in(t, []answer{unasked, unasked, created}, func(ctx context.Context, g *WithT, s *server, client kubernetes.Interface) {
		g.Expect(create(ctx, client)).To(Succeed())
		g.Expect(s.sent).To(Equal([]time.Duration{0, 500 * time.Millisecond, 1500 * time.Millisecond}))
		g.Expect(s.bodies).To(HaveEach(Equal(s.bodies[0])), "each attempt sends the whole object")
		g.Expect(s.bodies[0]).To(ContainSubstring("one"))
	})
	in(t, []answer{unasked}, func(ctx context.Context, g *WithT, s *server, client kubernetes.Interface) {
		g.Expect(create(ctx, client)).To(MatchError(ContainSubstring(`failed calling webhook "mutate.example.com"`)))
		g.Expect(s.sent).To(HaveLen(5))
	})
	in(t, []answer{unasked, content(http.StatusOK, `{"kind":"Status","apiVersion":"v1","status":"Success"}`)}, func(ctx context.Context, g *WithT, s *server, client kubernetes.Interface) {
		g.Expect(client.CoreV1().Pods("ns").Delete(ctx, "one", metav1.DeleteOptions{})).To(Succeed())
		g.Expect(s.sent).To(HaveLen(2))
	})
}
