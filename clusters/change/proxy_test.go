// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters/skew"
)

// kubeProxy returns kubeadm's objects for kube-proxy, reduced to the relevant
// fields, on two nodes.
func kubeProxy() (*appsv1.DaemonSet, *corev1.ConfigMap) {
	meta := metav1.ObjectMeta{Name: "kube-proxy", Namespace: "kube-system"}
	ds := &appsv1.DaemonSet{ObjectMeta: meta}
	ds.Spec.Template.Spec.Containers = []corev1.Container{{Name: "kube-proxy", Image: "registry.k8s.io/kube-proxy:v1.36.3"}}
	ds.Status = appsv1.DaemonSetStatus{DesiredNumberScheduled: 2, UpdatedNumberScheduled: 2, NumberAvailable: 2}
	return ds, &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{
		"config.conf":     "featureGates:\n  DRAConsumableCapacity: false\nmode: iptables\n",
		"kubeconfig.conf": "kind: Config\n",
	}}
}

var proxy = skew.Instance{Component: skew.Proxy}

func TestProxyIsReadFromItsObjects(t *testing.T) {
	g := NewWithT(t)
	ds, cm := kubeProxy()
	c, _ := newCluster(t, nil, ds, cm)
	r, err := c.proxy(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Same(of(t, proxy, "1.36", "DRAConsumableCapacity=false"))).To(BeTrue())
	g.Expect(r.Unsettled).To(BeEmpty())
}

func TestProxyIsUnsettledDuringARollout(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*appsv1.DaemonSet)
		want   string
	}{
		"not observed": {func(ds *appsv1.DaemonSet) { ds.Generation = 2 }, "its controller has not observed the change"},
		"not all are updated": {
			func(ds *appsv1.DaemonSet) { ds.Status.UpdatedNumberScheduled = 1 },
			"of 2 pods, 1 are updated and 2 are ready",
		},
		"not all are ready": {
			func(ds *appsv1.DaemonSet) { ds.Status.NumberAvailable = 0 },
			"of 2 pods, 2 are updated and 0 are ready",
		},
		"of another configuration": {func(ds *appsv1.DaemonSet) {
			ds.Spec.Template.Annotations = map[string]string{proxyConfigAnnotation: "another"}
		}, "it has not read its configuration"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			ds, cm := kubeProxy()
			test.change(ds)
			c, _ := newCluster(t, nil, ds, cm)
			r, err := c.proxy(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(r.Unsettled).To(Equal(test.want))
		})
	}
}

func TestProxyChangeAndRollback(t *testing.T) {
	g := NewWithT(t)
	ds, cm := kubeProxy()
	c, _ := newCluster(t, nil, ds.DeepCopy(), cm.DeepCopy())
	to := of(t, proxy, "1.37", "default")
	change, err := c.proxyChange(t.Context(), skew.Step{From: of(t, proxy, "1.36", "DRAConsumableCapacity=false"), To: to})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(change.apply(t.Context())).To(Succeed())
	now, err := c.readProxy(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(now.image()).To(Equal("registry.k8s.io/kube-proxy:v1.37.2"))
	g.Expect(now.config.Data).To(Equal(map[string]string{"config.conf": "mode: iptables\n", "kubeconfig.conf": "kind: Config\n"}))
	g.Expect(now.daemonSet.Spec.Template.Annotations).To(HaveKey(proxyConfigAnnotation), "processes read their configuration once")
	r, err := c.proxy(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(r.Same(to)).To(BeTrue())
	g.Expect(change.restore(t.Context())).To(Succeed())
	now, err = c.readProxy(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(now.daemonSet.Spec.Template.Annotations).To(BeEmpty())
	g.Expect(now.daemonSet.Spec.Template.Spec).To(Equal(ds.Spec.Template.Spec))
	g.Expect(now.config.Data).To(Equal(cm.Data))
}

// The rollback keeps changes that other clients made to the objects.
func TestProxyChangeKeepsChangesOfOthers(t *testing.T) {
	g := NewWithT(t)
	ds, cm := kubeProxy()
	c, _ := newCluster(t, nil, ds, cm)
	change, err := c.proxyChange(t.Context(), skew.Step{From: of(t, proxy, "1.36", "DRAConsumableCapacity=false"), To: of(t, proxy, "1.37", "default")})
	g.Expect(err).NotTo(HaveOccurred())
	now, err := c.readProxy(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	now.config.Data["others"] = "theirs"
	now.daemonSet.Spec.Template.Labels = map[string]string{"others": "theirs"}
	_, err = c.client.CoreV1().ConfigMaps("kube-system").Update(t.Context(), now.config, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = c.client.AppsV1().DaemonSets("kube-system").Update(t.Context(), now.daemonSet, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	for _, put := range []func(context.Context) error{change.apply, change.restore} {
		g.Expect(put(t.Context())).To(Succeed())
		now, err = c.readProxy(t.Context())
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(now.config.Data).To(HaveKeyWithValue("others", "theirs"))
		g.Expect(now.daemonSet.Spec.Template.Labels).To(HaveKeyWithValue("others", "theirs"))
	}
}
