// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/internal/staticpod"
	"github.com/draconform/draconform/clusters/skew"
)

// crashing returns the scheduler's pod in CrashLoopBackOff.
func crashing() *corev1.Pod {
	pod := schedulerPod()
	pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	return pod
}

// After the API server has recovered, pods in back-off are restarted once
// without delay. A pod that keeps crashing is not restarted again.
func TestRecoversRestartsPodsInBackOffOnce(t *testing.T) {
	g := NewWithT(t)
	manager := schedulerPod()
	manager.Name, manager.Spec.Containers[0].Command[0] = "kube-controller-manager-c-control-plane", "kube-controller-manager"
	manager.Spec.Containers[0].Image = "registry.k8s.io/kube-controller-manager:v1.36.3"
	lease := schedulerLease(started)
	lease.Name = "kube-controller-manager"
	c, f := newCluster(t, append([]fake.Answer{kubeletShows(t, serverPod("1.36.3"), manager, crashing())}, answersOf("there", "1.36.3")...))
	c.client = clientOf(t, newAPIServer(t, "v1.36.3", lease))
	settled := c.recovers()
	g.Expect(settled(t.Context())).To(MatchError("scheduler: it was in back-off, and has just been restarted"))
	first := changes(f)
	g.Expect(first).To(HaveLen(1))
	g.Expect(first[0]).To(And(ContainSubstring(staticpod.Swap+" sh / kube-scheduler "), ContainSubstring("\n  uid: ")))
	g.Expect(settled(t.Context())).To(MatchError("scheduler: its kubelet has not started the pod"))
	g.Expect(changes(f)).To(HaveLen(1))
}

// A kubelet of another release may restart etcd.
func TestRecoversWaitsForOtherStaticPods(t *testing.T) {
	g := NewWithT(t)
	etcd := schedulerPod()
	etcd.Name, etcd.Status.Conditions = "etcd-c-control-plane", nil
	c, _ := newCluster(t, append([]fake.Answer{kubeletShows(t, serverPod("1.36.3"), etcd)}, answersOf("there", "1.36.3")...))
	c.client = clientOf(t, newAPIServer(t, "v1.36.3"))
	g.Expect(c.recovers()(t.Context())).To(MatchError(ContainSubstring("static pod etcd-c-control-plane: its pod is not ready")))
}

// A component that is started before it can reach the API server would end
// again.
func TestRecoversWaitsForTheAPIServer(t *testing.T) {
	g := NewWithT(t)
	c, f := newCluster(t, append([]fake.Answer{kubeletShows(t, serverPod("1.36.3"), crashing())}, answersOf("there", "1.36.3")...))
	c.client = clientOf(t, startingServer(t))
	g.Expect(c.recovers()(t.Context())).To(MatchError(HavePrefix("apiserver: it is not ready: ")))
	g.Expect(changes(f)).To(BeEmpty())
}

// The kubelet has no status of the API server's pod for a while if it could not
// replace the mirror pod.
func TestAPIServerIsSettledByItsAnswer(t *testing.T) {
	unknown := func(p *corev1.Pod) { p.Status = corev1.PodStatus{} }
	crashes := func(p *corev1.Pod) { p.Status = crashing().Status }
	well := func(*corev1.Pod) {}
	for name, test := range map[string]struct {
		shown  func(*corev1.Pod)
		server func(*testing.T) string
		want   types.GomegaMatcher
	}{
		"ready, without a status":    {unknown, func(t *testing.T) string { return newAPIServer(t, "v1.36.3") }, Succeed()},
		"not ready":                  {well, startingServer, MatchError(HavePrefix("it is not ready: "))},
		"connections are not served": {well, silentServer, MatchError(ContainSubstring("no answer for 3s"))},
		"not ready, with a reason":   {crashes, startingServer, MatchError(HavePrefix("its container waits: CrashLoopBackOff"))},
		"ready, with another pod":    {func(p *corev1.Pod) { p.UID = "other" }, func(t *testing.T) string { return newAPIServer(t, "v1.36.3") }, MatchError(errNotStarted)},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			s := &static{component: skew.APIServer, manifest: parse(t, serverYAML).WithNewUID()}
			pod := serverPod("1.36.3")
			pod.UID = s.manifest.UID()
			test.shown(pod)
			s.cluster, _ = newCluster(t, []fake.Answer{kubeletShows(t, pod)})
			s.cluster.client = clientOf(t, test.server(t))
			g.Expect(s.settled(t.Context())).To(test.want)
		})
	}
}

// startingServer returns the URL of an API server that is not ready.
func startingServer(t *testing.T) string {
	t.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }))
	t.Cleanup(server.Close)
	return server.URL
}

// silentServer returns the URL of an API server that accepts connections and
// does not serve them.
func silentServer(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { _ = listener.Close() })
	return "https://" + listener.Addr().String()
}

func clientOf(t *testing.T, server string) *kubernetes.Clientset {
	t.Helper()
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server, TLSClientConfig: rest.TLSClientConfig{Insecure: true}})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return client
}
