// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package guest

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/subject/driverfile"
)

func unchanged(*corev1.Node) {}

func cordoned(node *corev1.Node) { node.Spec.Unschedulable = true }

func tainted(node *corev1.Node) {
	node.Spec.Taints = []corev1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
}

func preferablyNot(node *corev1.Node) {
	node.Spec.Taints = []corev1.Taint{{Key: "gpu", Effect: corev1.TaintEffectPreferNoSchedule}}
}

func notReady(node *corev1.Node) { node.Status.Conditions[0].Status = corev1.ConditionUnknown }

func labelled(key, value string) func(*corev1.Node) {
	return func(node *corev1.Node) { node.Labels[key] = value }
}

func TestUsableNodes(t *testing.T) {
	tolerating := driverfile.Pods{Tolerations: []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}}
	for name, test := range map[string]struct {
		change func(*corev1.Node)
		pods   driverfile.Pods
		why    string // of the first node; the second one is always usable
	}{
		"right":            {unchanged, driverfile.Pods{}, ""},
		"tainted":          {tainted, driverfile.Pods{}, "pods do not tolerate its taint gpu=yes:NoSchedule"},
		"tolerated":        {tainted, tolerating, ""},
		"preferably not":   {preferablyNot, driverfile.Pods{}, ""},
		"cordoned":         {cordoned, tolerating, "it is cordoned"},
		"not ready":        {notReady, driverfile.Pods{}, "it is not ready"},
		"Windows":          {labelled(corev1.LabelOSStable, "windows"), driverfile.Pods{}, `its label kubernetes.io/os is "windows", pods need "linux"`},
		"ARM":              {labelled(corev1.LabelArchStable, "arm64"), driverfile.Pods{}, "its architecture is arm64, the workload image is for [amd64]"},
		"of another pool":  {labelled("pool", "small"), driverfile.Pods{NodeSelector: map[string]string{"pool": "large"}}, `its label pool is "small", pods need "large"`},
		"of the same pool": {labelled("pool", "large"), driverfile.Pods{NodeSelector: map[string]string{"pool": "large"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			guest, e := newTestGuest(t, fakecluster.Options{Nodes: 2}, test.pods, test.change, labelled("pool", "large"))
			node, err := e.Client.CoreV1().Nodes().Get(t.Context(), "node-1", metav1.GetOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(e.Unusable(node, driver)).To(Equal(test.why))
			want := 2
			if test.why != "" {
				want = 1
			}
			count, err := CountUsableNodes(t.Context(), e.Client, guest.Info(), e.Subject)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(count).To(Equal(map[string]int{driver: want}))
		})
	}
}
