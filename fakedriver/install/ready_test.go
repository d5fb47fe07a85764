// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/draconform/draconform/fakedriver/install"
)

func TestInstallReportsWhyItIsNotReady(t *testing.T) {
	leaving := pod("n2", corev1.ConditionTrue)
	leaving.DeletionTimestamp, leaving.Finalizers = &metav1.Time{}, []string{"test"}
	for _, test := range []struct {
		name    string
		nodes   int
		objects []runtime.Object
		message []string
	}{
		{"no node", 0, nil, []string{"finds no node to run on"}},
		{"no pod yet", 1, nil, []string{"wants 1 pods and has 0"}},
		{"no pod may be created", 1, []runtime.Object{
			warning("DaemonSet", options.DriverName, "FailedCreate", "violates PodSecurity"),
			warning("DaemonSet", "another", "FailedCreate", "of another object"),
		}, []string{"wants 1 pods and has 0", "\nwarning about DaemonSet mig-2.example.com: FailedCreate: violates PodSecurity"}},
		{"a pod that is not ready", 2, []runtime.Object{
			pod("n1", corev1.ConditionTrue), crashing(pod("n2", corev1.ConditionFalse)),
		}, []string{"the pod is not ready on n2", "n2, pod drivers/mig-2.example.com-node-on-n2: Running; probe says no; CrashLoopBackOff back-off", "fake logs"}},
		{"a pod that is replaced", 2, []runtime.Object{pod("n1", corev1.ConditionTrue), leaving}, []string{"the pod is not ready on n2"}},
		{"slices that are missing", 2, []runtime.Object{
			pod("n1", corev1.ConditionTrue), pod("n2", corev1.ConditionTrue),
			slice("a", options.DriverName, "n1", 1, 1),
			slice("b", options.DriverName, "n2", 1, 1), slice("c", options.DriverName, "n2", 2, 2),
		}, []string{"the pool is not complete on n2", "n2, pod"}},
		{"slices of another driver", 1, []runtime.Object{
			pod("n2", corev1.ConditionTrue), slice("a", "other.example.com", "n2", 1, 1),
		}, []string{"the pool is not complete on n2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			var err error
			synctest.Test(t, func(t *testing.T) {
				err = install.Install(aMinute(t), newCluster(test.nodes, test.objects...), options)
			})
			g.Expect(err).To(MatchError(context.DeadlineExceeded))
			for _, message := range test.message {
				g.Expect(err).To(MatchError(ContainSubstring(message)))
			}
			g.Expect(strings.Contains(err.Error(), "n1, pod")).To(BeFalse(), "only nodes with a problem are described")
			g.Expect(strings.Contains(err.Error(), "of another object")).To(BeFalse())
		})
	}
}

func warning(kind, name, reason, message string) *corev1.Event {
	return &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: options.Namespace, Name: name + "." + reason},
		InvolvedObject: corev1.ObjectReference{Kind: kind, Namespace: options.Namespace, Name: name},
		Type:           corev1.EventTypeWarning,
		Reason:         reason,
		Message:        message,
	}
}
