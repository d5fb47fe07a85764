// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package integration

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// gate is a proxy between a scheduler and the API server. It blocks the first request for which stops returns
// true.
type gate struct {
	stops   func(*http.Request) bool
	after   bool // The request is forwarded, only its response is blocked.
	next    http.Handler
	once    sync.Once
	reached chan struct{}
	over    chan struct{} // Closed when the test ends.
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !g.stops(r) {
		g.next.ServeHTTP(w, r)
		return
	}
	if g.after {
		g.next.ServeHTTP(httptest.NewRecorder(), r)
	}
	g.once.Do(func() { close(g.reached) })
	<-g.over
}

// startBehind runs the command with a gate in front of the API server.
func (c *cluster) startBehind(g *gate, flags ...string) *process {
	config, err := clientcmd.BuildConfigFromFlags("", schedulerKubeconfig)
	c.Expect(err).NotTo(HaveOccurred())
	transport, err := rest.TransportFor(config)
	c.Expect(err).NotTo(HaveOccurred())
	address, err := url.Parse(config.Host)
	c.Expect(err).NotTo(HaveOccurred())
	g.next = &httputil.ReverseProxy{Transport: transport, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(address) }}
	g.reached, g.over = make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(g)
	c.t.Cleanup(func() {
		close(g.over)
		server.CloseClientConnections()
		server.Close()
	})
	kubeconfig := filepath.Join(c.t.TempDir(), "kubeconfig")
	c.Expect(os.WriteFile(kubeconfig, fmt.Appendf(nil, `
apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q}}]
contexts: [{name: c, context: {cluster: c}}]
current-context: c
`, server.URL), 0o600)).To(Succeed())
	return c.run(kubeconfig, "", flags...)
}

// TestKilledSchedulerDoesNotAffectTheNext kills the process between Reserve and the end of the
// pod's binding. The in-memory state of Reserve is then lost, and Unreserve does not run.
func TestKilledSchedulerDoesNotAffectTheNext(t *testing.T) {
	// The next scheduler need not wait long for the lease of the killed one.
	lease := []string{"--leader-elect-lease-duration=3s", "--leader-elect-renew-deadline=2s", "--leader-elect-retry-period=500ms"}
	for name, tc := range map[string]struct {
		gate      *gate
		allocated []string
	}{
		"before the claim was written":                {&gate{stops: isStatusUpdate}, nil},
		"before the response to the write was sent":   {&gate{stops: isStatusUpdate, after: true}, []string{"a/gpu-0"}},
		"before the pod was bound to a written claim": {&gate{stops: isBinding}, []string{"a/gpu-0"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.node("a", 1)
			killed := c.startBehind(tc.gate, lease...)
			c.podWithDevice("p")
			c.Eventually(tc.gate.reached).Should(BeClosed())
			killed.kill()
			c.Expect(c.bound()).To(BeEmpty())
			c.Expect(c.allocated()).To(Equal(tc.allocated))

			c.podWithDevice("q")
			c.startCommand(lease...)
			c.Eventually(c.bound).Should(HaveLen(1))
			c.Expect(c.allocated()).To(Equal([]string{"a/gpu-0"}))
			first := c.bound()[0]
			if tc.allocated != nil {
				c.Expect(first).To(Equal("p"), "its claim has the device already")
			}
			c.remove(first)
			c.Eventually(c.bound).Should(And(HaveLen(1), Not(ContainElement(first))), "the other one runs later")
			c.Expect(c.allocated()).To(Equal([]string{"a/gpu-0"}))
		})
	}
}
