// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/e2e/run"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/guest"
	"github.com/draconform/draconform/e2e/suite/namespaces"
)

// What a run removes after each spec and at its end is never what it runs in, also
// if its specs use the namespace of the Job.
func TestRunLeavesItsJobAlone(t *testing.T) {
	for name, test := range map[string]struct{ job, specs string }{
		"in the namespace of the Job":                 {"gpus", "gpus"},
		"in another namespace":                        {"gpus", "specs"},
		"in a namespace of its own":                   {"gpus", ""},
		"in a namespace of its own, as the Job":       {"", ""},
		"in another namespace, the Job in one of its": {"", "specs"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c := newCluster(t)
			labels := map[string]string{"draconform.dev/run": testID}
			config := guest.Config{
				Client: c.Clientset, Namespace: test.specs, Given: test.specs != "", RunID: testID, Labels: labels, Timeouts: env.DefaultTimeouts(),
			}
			if !config.Given {
				config.Namespace = run.OwnNamespace("a1b2")
			}
			existing := []runtime.Object{&corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: config.Namespace, Name: "default"}}}
			for _, namespace := range []string{"gpus", "specs"} {
				existing = append(existing, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
			}
			for _, object := range existing {
				g.Expect(c.Tracker().Add(object)).To(Succeed())
			}
			objects, err := Objects(Options{RunID: testID, Namespace: test.job, Rights: everything().Rights})
			g.Expect(err).NotTo(HaveOccurred())
			for _, object := range objects {
				g.Expect(create(t.Context(), c.Clientset, object)).To(Succeed())
			}
			before := c.objects()

			among := guest.New(config)
			g.Expect(among.Open(t.Context(), func(error) {})).To(Succeed())
			namespace, err := among.Namespace(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			e := &env.Env{Client: c.Clientset, Namespace: namespace, Labels: labels, Timeouts: config.Timeouts, Guest: among.Info()}
			of := func(name string) *corev1.Pod {
				return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: labels}}
			}
			pods := c.CoreV1().Pods(namespace)
			_, err = pods.Create(t.Context(), of("of-a-spec"), metav1.CreateOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(namespaces.CleanUp(t.Context(), e)).To(Succeed())
			_, err = pods.Create(t.Context(), of("left"), metav1.CreateOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			if !config.Given { // A namespace is removed with its content.
				g.Expect(c.Tracker().Delete(corev1.SchemeGroupVersion.WithResource("pods"), namespace, "left")).To(Succeed())
			}
			g.Expect(among.Close(t.Context())).To(Succeed())

			g.Expect(c.objects()).To(ConsistOf(before))
			left, err := c.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(left.Items).To(ConsistOf(HaveField("UID", BeEquivalentTo("uid-of-the-pod"))), "the pod of the Job")
		})
	}
}
