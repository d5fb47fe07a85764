// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package install

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// daemonSetOf returns the DaemonSet of an installation.
func daemonSetOf(t *testing.T, options Options) *appsv1.DaemonSet {
	t.Helper()
	g := NewWithT(t)
	options.RunID, options.Namespace = "run", "drivers"
	options, err := options.complete()
	g.Expect(err).NotTo(HaveOccurred())
	objects, err := options.objects()
	g.Expect(err).NotTo(HaveOccurred())
	for _, object := range objects {
		if set, ok := object.(*appsv1.DaemonSet); ok {
			return set
		}
	}
	t.Fatal("there is no DaemonSet")
	return nil
}

func TestPodsOverlapDuringUpdates(t *testing.T) {
	g := NewWithT(t)
	one := daemonSetOf(t, Options{})
	g.Expect(one.Spec.UpdateStrategy.RollingUpdate.MaxSurge.IntValue()).To(BeZero())
	container := one.Spec.Template.Spec.Containers[0]
	g.Expect(container.Args).NotTo(ContainElement(HavePrefix("--pod-uid")))
	g.Expect(container.Lifecycle).To(BeNil())

	two := daemonSetOf(t, Options{Older: true, Overlap: 20 * time.Second, Surge: true})
	g.Expect(two.Spec.UpdateStrategy.RollingUpdate.MaxSurge.IntValue()).To(Equal(1))
	g.Expect(two.Spec.UpdateStrategy.RollingUpdate.MaxUnavailable.IntValue()).To(BeZero())
	container = two.Spec.Template.Spec.Containers[0]
	g.Expect(container.Args).To(ContainElements("--pod-uid=$(POD_UID)", "--checkpoint-version=1"))
	g.Expect(container.Env).To(ContainElement(HaveField("Name", "POD_UID")))
	g.Expect(container.Lifecycle.PreStop.Sleep).To(Equal(&corev1.SleepAction{Seconds: 20}))
}

func TestInvalidOverlaps(t *testing.T) {
	for name, o := range map[string]Options{
		"too long":          {Overlap: time.Minute},
		"not whole seconds": {Overlap: 1500 * time.Millisecond},
		"negative":          {Overlap: -time.Second},
		"none with Surge":   {Surge: true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			o.RunID, o.Namespace = "run", "drivers"
			_, err := o.complete()
			g.Expect(err).To(MatchError(HavePrefix("install fake driver: pods ")))
		})
	}
}
