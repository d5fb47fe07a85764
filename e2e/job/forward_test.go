// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package job

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/portforward"
	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"

	"github.com/draconform/draconform/e2e/job/results"
)

// kubelet forwards connections to ports of a pod, as the API server and a kubelet
// do together. It supports SPDY only, so that a client has to fall back from web
// sockets.
type kubelet struct {
	t *testing.T
	// pod is the address of a server in the pod, on [results.Port].
	pod string
	// path is the path of the last request.
	path string
}

func (k *kubelet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.path = r.Method + " " + r.URL.Path
	if r.Header.Get("Upgrade") == "websocket" {
		http.Error(w, "no web sockets here", http.StatusBadRequest)
		return
	}
	if _, err := httpstream.Handshake(r, w, []string{portforward.PortForwardProtocolV1Name}); err != nil {
		k.t.Error(err)
		return
	}
	streams := make(chan httpstream.Stream, 2)
	connection := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, _ <-chan struct{}) error {
		streams <- s
		return nil
	})
	if connection == nil {
		k.t.Error("the connection was not upgraded")
		return
	}
	defer func() { _ = connection.Close() }()
	failures, data := <-streams, <-streams
	if err := k.forward(r.Context(), data); err != nil {
		_, _ = io.WriteString(failures, err.Error())
	}
	_ = failures.Close()
	_ = data.Close()
	<-connection.CloseChan()
}

// forward copies between a stream and the port that its headers name.
func (k *kubelet) forward(ctx context.Context, data httpstream.Stream) error {
	address := "127.0.0.1:1" // where nothing listens
	if data.Headers().Get(corev1.PortHeader) == strconv.Itoa(results.Port) {
		address = k.pod
	}
	server, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = server.Close() }()
	go func() { _, _ = io.Copy(server, data) }()
	_, err = io.Copy(data, server)
	return err
}

// podWithResults returns a pod behind a kubelet, whose container serves a
// directory.
func podWithResults(t *testing.T, dir string) (*kubelet, Client, *corev1.Pod) {
	t.Helper()
	g := NewWithT(t)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	g.Expect(err).NotTo(HaveOccurred())
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() { _ = results.Server{Dir: dir, Folder: filepath.Join(dir, testID)}.Serve(ctx, listener) }()
	k := &kubelet{t: t, pod: listener.Addr().String()}
	api := httptest.NewServer(k)
	t.Cleanup(api.Close)
	config := &rest.Config{Host: api.URL}
	client, err := kubernetes.NewForConfig(config)
	g.Expect(err).NotTo(HaveOccurred())
	return k, Client{Kubernetes: client, Config: config}, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pod"}}
}

// The real connection to a pod, with a server that only supports the older of the
// two protocols.
func TestFetchThroughTheKubelet(t *testing.T) {
	g := NewWithT(t)
	c := newCluster(t)
	c.status = corev1.PodStatus{}
	c.ends(0, "Completed") // leaves results
	k, client, pod := podWithResults(t, c.results)
	parent := t.TempDir()
	g.Expect(client.fetch(t.Context(), pod, parent, testID)).To(Equal(filepath.Join(parent, testID)))
	g.Expect(filepath.Join(parent, testID, "report.yaml")).To(BeARegularFile())
	g.Expect(k.path).To(Equal("POST /api/v1/namespaces/ns/pods/pod/portforward"))
}

func TestForwardReportsTheKubeletsError(t *testing.T) {
	g := NewWithT(t)
	_, client, pod := podWithResults(t, t.TempDir())
	dial := func(context.Context) (net.Conn, error) { return client.dial(pod, 1) }
	_, err := results.Fetch(t.Context(), dial, t.TempDir(), testID)
	g.Expect(err).To(MatchError(ContainSubstring("connect: connection refused")))
}

func TestForwardReportsThatItIsForbidden(t *testing.T) {
	g := NewWithT(t)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no rights", http.StatusForbidden) }))
	t.Cleanup(api.Close)
	config := &rest.Config{Host: api.URL}
	client, err := kubernetes.NewForConfig(config)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = forward(config, client.CoreV1().RESTClient(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "pod"}}, 1)
	g.Expect(err).To(MatchError(And(HavePrefix("connect to pod pod: "), ContainSubstring("no rights"))))
}
