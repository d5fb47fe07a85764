// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package report_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/version"
	fakediscovery "k8s.io/client-go/discovery/fake"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clienttesting "k8s.io/client-go/testing"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/report"
)

func node(name, kubelet string, effects ...corev1.TaintEffect) *corev1.Node {
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	n.Status.NodeInfo = corev1.NodeSystemInfo{KubeletVersion: kubelet, ContainerRuntimeVersion: "containerd://2.1.0", KernelVersion: "6.1.0"}
	for _, e := range effects {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: "k", Effect: e})
	}
	return n
}

func controlPlanePod(name, component, image string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "kube-system", Labels: map[string]string{"tier": "control-plane", "component": component}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: component, Image: image}}},
	}
}

func emulating(pod *corev1.Pod, release string) *corev1.Pod {
	pod.Spec.Containers[0].Command = []string{"/command", "--v=2", "--emulated-version=" + release}
	return pod
}

func cluster(objects ...runtime.Object) *fake.Clientset {
	client := fake.NewClientset(objects...)
	client.Discovery().(*fakediscovery.FakeDiscovery).FakedServerVersion = &version.Info{GitVersion: "v1.37.1"}
	return client
}

func TestDescribe(t *testing.T) {
	g := NewWithT(t)
	cordoned := node("cordoned", "v1.36.3")
	cordoned.Spec.Unschedulable = true
	other := controlPlanePod("coredns", "", "coredns:v1.12")
	other.Labels = map[string]string{"k8s-app": "kube-dns"}
	c, err := report.Describe(t.Context(), cluster(
		node("control-plane", "v1.37.1", corev1.TaintEffectNoSchedule), cordoned,
		node("worker-1", "v1.37.1"), node("worker-2", "v1.36.3", corev1.TaintEffectPreferNoSchedule), node("draining", "v1.36.3", corev1.TaintEffectNoExecute),
		controlPlanePod("scheduler", "kube-scheduler", "registry.example.com:5000/kube-scheduler:v1.37.1@sha256:0123"),
		emulating(controlPlanePod("controllers", "kube-controller-manager", "own:v2"), "1.36"),
		controlPlanePod("apiserver", "kube-apiserver", "kube-apiserver:v1.37.1"),
		controlPlanePod("by-digest", "etcd", "etcd"), other,
	))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(c.Workers).To(Equal(2), "worker-1, and worker-2 with PreferNoSchedule")
	g.Expect(c.Gates).To(BeEmpty(), "the fake has no metrics")
	g.Expect(c.Components).To(Equal([]report.Component{
		{Name: "container runtime", Version: "containerd://2.1.0", Count: 5},
		{Name: "kernel", Version: "6.1.0", Count: 5},
		{Name: "kube-apiserver", Version: "v1.37.1", Count: 1},
		{Name: "kube-controller-manager", Version: "v2", Image: "own:v2", Emulates: "1.36", Count: 1},
		{Name: "kube-scheduler", Version: "v1.37.1", Image: "registry.example.com:5000/kube-scheduler:v1.37.1@sha256:0123", Count: 1},
		{Name: "kubelet", Version: "v1.36.3", Count: 3},
		{Name: "kubelet", Version: "v1.37.1", Count: 2},
	}))
}

func TestOldest(t *testing.T) {
	c := report.Cluster{Components: []report.Component{
		{Name: "kubelet", Version: ""}, {Name: "kubelet", Version: "v1.36.3-eks-1"}, {Name: "kubelet", Version: "v1.35.10"}, {Name: "kubelet", Version: "v1.37.1"},
		{Name: "kube-scheduler", Version: "v2", Emulates: "1.36"}, {Name: "kube-controller-manager", Version: "latest"},
	}}
	for component, want := range map[string]string{"kubelet": "v1.35.10", "kube-scheduler": "v1.36", "kube-controller-manager": "", "etcd": ""} {
		NewWithT(t).Expect(c.Oldest(component)).To(Equal(want), component)
	}
}

func TestDescribeErrors(t *testing.T) {
	forbidden := errors.New("forbidden")
	for resource, want := range map[string]string{
		"version": "get the version of the API server: forbidden",
		"nodes":   "list nodes: forbidden",
		"pods":    "list the pods of the control plane: forbidden",
	} {
		t.Run(resource, func(t *testing.T) {
			g := NewWithT(t)
			client := cluster()
			client.PrependReactor("*", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return true, nil, forbidden })
			_, err := report.Describe(t.Context(), client)
			g.Expect(err).To(MatchError(want))
		})
	}
}

// The API server's metrics show which gates are enabled. Reading them may be
// forbidden.
func TestDescribeReadsGates(t *testing.T) {
	sample, err := os.ReadFile("testdata/metrics.txt")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	for name, test := range map[string]struct {
		metrics func(http.ResponseWriter)
		want    map[string]bool
	}{
		"readable": {
			metrics: func(w http.ResponseWriter) { _, _ = w.Write(sample) },
			want: map[string]bool{
				"DynamicResourceAllocation": true, "DRAAdminAccess": true, "DRADeviceTaints": false, "DRAPartitionableDevices": false,
			},
		},
		"forbidden": {metrics: func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			c, err := report.Describe(t.Context(), apiServer(t, test.metrics))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(c.Gates).To(Equal(test.want))
			g.Expect(c.Components).To(Equal([]report.Component{{Name: "kube-apiserver", Version: "v1.37.1", Count: 1}}))
		})
	}
}

// A cluster would count as one without a feature whose gate is not read.
func TestGatesOfAllFeaturesAreRead(t *testing.T) {
	g := NewWithT(t)
	want := map[string]bool{}
	metrics := func(w http.ResponseWriter) {
		for _, f := range features.All() {
			if f.Gate() != "" {
				want[f.Gate()] = true
				_, _ = fmt.Fprintf(w, "kubernetes_feature_enabled{name=%q,stage=\"BETA\"} 1\n", f.Gate())
			}
		}
	}
	got := report.Gates(t.Context(), apiServer(t, metrics))
	g.Expect(got).To(Equal(want))
	g.Expect(got).To(HaveKey("DRAPartitionableDevices"))
}

// apiServer returns the client of an API server without nodes and pods.
func apiServer(t *testing.T, metrics func(http.ResponseWriter)) kubernetes.Interface {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("/version", jsonOf(`{"gitVersion":"v1.37.1"}`))
	mux.HandleFunc("/api/v1/nodes", jsonOf(`{"kind":"NodeList","apiVersion":"v1"}`))
	mux.HandleFunc("/api/v1/namespaces/kube-system/pods", jsonOf(`{"kind":"PodList","apiVersion":"v1"}`))
	mux.HandleFunc("/metrics", func(w http.ResponseWriter, _ *http.Request) { metrics(w) })
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return client
}

func jsonOf(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	}
}
