// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package killable

import (
	"fmt"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// write creates an object.
func write(t *testing.T, s *Server, name string) error {
	t.Helper()
	_, err := s.Client.CoreV1().ConfigMaps("default").Create(t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}, metav1.CreateOptions{})
	return err
}

// arrived reports whether the server has an object.
func arrived(s *Server, name string) bool {
	_, err := s.Client.Tracker().Get(corev1.SchemeGroupVersion.WithResource("configmaps"), "default", name)
	return err == nil
}

// Each process can be killed at any of its writes, and cannot do anything then.
func TestEachProcessCanBeKilled(t *testing.T) {
	g := NewWithT(t)
	s := New()
	for i, after := range []bool{false, true, false} {
		name := func(n int) string { return fmt.Sprintf("of-%d-%d", i, n) }
		g.Expect(s.Killed()).NotTo(BeClosed())
		s.KillAt(2, after)
		g.Expect(write(t, s, name(1))).To(Succeed())
		g.Expect(s.Killed()).NotTo(BeClosed())
		g.Expect(write(t, s, name(2))).To(MatchError(errKilled))
		g.Expect(s.Killed()).To(BeClosed())
		g.Expect(write(t, s, name(3))).To(MatchError(errKilled))
		_, err := s.Client.CoreV1().ConfigMaps("default").Get(t.Context(), name(1), metav1.GetOptions{})
		g.Expect(err).To(MatchError(errKilled), "a process that was killed reads nothing")
		g.Expect([]bool{arrived(s, name(1)), arrived(s, name(2)), arrived(s, name(3))}).To(Equal([]bool{true, after, false}))
		s.Revive()
		g.Expect(s.Writes()).To(Equal(2 * (i + 1)))
	}
	s.KillAt(1, false)
	s.KillAt(0, false)
	g.Expect(write(t, s, "survives")).To(Succeed())
}
