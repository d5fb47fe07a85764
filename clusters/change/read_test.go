// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package change

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/clusters"
	"github.com/draconform/draconform/clusters/internal/fake"
	"github.com/draconform/draconform/clusters/skew"
)

var serverYAML = strings.ReplaceAll(schedulerYAML, "kube-scheduler", "kube-apiserver")

// answersOf returns the answers of a cluster of 1.36. The API server's manifest has the given release and location.
func answersOf(where, release string) []fake.Answer {
	return append(nodeAnswers(newerImages),
		fake.Answer{Args: "exec c-control-plane", Has: "is-active", Stdout: "Kubernetes v1.36.3\n\n" + kubeletYAML},
		fake.Answer{Args: "exec c-worker", Has: "is-active", Stdout: "Kubernetes v1.36.3\nstopped\n" + kubeletYAML},
		fake.Answer{Args: "exec c-control-plane", Has: "sh / kube-apiserver", Stdout: where + "\n" + strings.ReplaceAll(serverYAML, "v1.36.3", "v"+release)})
}

// Configuration in files is read without an API server, so that the cluster can be repaired.
func TestReadWithoutAnAPIServer(t *testing.T) {
	for name, test := range map[string]struct {
		where   string
		stopped bool
		why     string
	}{
		"stopped":     {"stopped", true, ""},
		"interrupted": {"parked", false, "a change of it was interrupted"},
		"crashing":    {"there", false, "its kubelet has not started the pod"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p, _ := newProvider(t, answersOf(test.where, "1.36.3")...)
			c, err := open(t.Context(), p)
			g.Expect(err).NotTo(HaveOccurred())
			state, err := c.state(t.Context(), 50*time.Millisecond)
			g.Expect(err).NotTo(HaveOccurred())
			server, err := state.APIServer()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(server.Silent).To(BeTrue())
			g.Expect(server.Stopped).To(Equal(test.stopped))
			g.Expect(server.Unsettled).To(Equal(test.why))
			g.Expect(server.Same(of(t, server.Instance, "1.36", "DRAConsumableCapacity=false"))).To(BeTrue())
			g.Expect(state.Nodes()).To(Equal([]string{"c-control-plane", "c-worker"}))
			_, known := state.Of(proxy)
			g.Expect(known).To(BeFalse(), "only the API server knows it")
		})
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	p, _ := newProvider(t, answersOf("there", "1.36.3")...)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
	defer cancel()
	_, err := Read(ctx, p)
	g.Expect(err).To(MatchError(context.DeadlineExceeded))
}

// newAPIServer returns the URL of a server for a version, kube-proxy's objects, and leases.
func newAPIServer(t *testing.T, version string, leases ...*coordinationv1.Lease) string {
	t.Helper()
	ds, cm := kubeProxy()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		var object any
		switch r.URL.Path {
		case "/readyz":
		case "/version":
			object = map[string]string{"gitVersion": version}
		case "/apis/apps/v1/namespaces/kube-system/daemonsets/kube-proxy":
			object = ds
		case "/api/v1/namespaces/kube-system/configmaps/kube-proxy":
			object = cm
		default:
			const folder = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/"
			if i := slices.IndexFunc(leases, func(l *coordinationv1.Lease) bool { return folder+l.Name == r.URL.Path }); i >= 0 {
				object = leases[i]
				break
			}
			w.WriteHeader(http.StatusNotFound)
			object = metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound}
		}
		_ = json.NewEncoder(w).Encode(object)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// serverPod returns the API server's pod as its kubelet reports it when it is healthy.
func serverPod(release string) *corev1.Pod {
	pod := schedulerPod()
	pod.Name = "kube-apiserver-c-control-plane"
	pod.Spec.Containers[0].Image = "registry.k8s.io/kube-apiserver:v" + release
	pod.Spec.Containers[0].Command[0] = "kube-apiserver"
	return pod
}

// An upgrade was interrupted after the API server's manifest had been removed. Reach resumes it with the API server,
// and then with the rest when the entire state can be read.
func TestReachRestoresTheAPIServerFirst(t *testing.T) {
	g := NewWithT(t)
	newest, err := clusters.FindRelease("1.37")
	g.Expect(err).NotTo(HaveOccurred())
	images := "registry.k8s.io/kube-apiserver:v1.37.2\n" + newerImages
	server := newAPIServer(t, "v1.37.2")
	prepared := func(where, release string) []fake.Answer {
		answers := append([]fake.Answer{
			kubeletShows(t, serverPod("1.37.2")),
			{Args: "exec c-control-plane", Has: "flock"}, // no output: manifest and pod stay the same
			{Args: "exec c-control-plane", Has: "ctr --namespace", Stdout: images + "in-place Kubernetes v1.36.3\n"},
		}, answersOf(where, release)...)
		return append([]fake.Answer{{Args: "--version", Stdout: "Docker version 28.2.2\n"}}, withNodes(server, answers)...)
	}
	p, f := newProviderOf(t, server, prepared("parked", "1.36.3")[1:]...)
	state, err := Read(t.Context(), p)
	g.Expect(err).NotTo(HaveOccurred())
	var done []string
	err = Reach(t.Context(), p, state, skew.Want{Release: newest, Components: []skew.Component{skew.APIServer, skew.ControllerManager}}, Options{
		After: func(_ context.Context, s skew.Step) error {
			done = append(done, s.To.String())
			full := fake.Answer{Args: "exec c-control-plane", Has: "flock", Exit: 1, Stderr: "no space left\n"}
			f.Command("docker", append([]fake.Answer{full}, prepared("there", "1.37.2")...)...)
			return nil
		},
	})
	g.Expect(done).To(Equal([]string{"apiserver"}), "%v", err)
	g.Expect(err).To(MatchError(And(HavePrefix("controller-manager: 1.36.3 to 1.37.2"), ContainSubstring("no space left"))), "the next component")
}
