// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package existing

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// write writes a kubeconfig with the contexts "one" and "two" of the same
// server. It sets the current context unless current is empty.
func write(t *testing.T, server, current string) string {
	t.Helper()
	config := clientcmdapi.NewConfig()
	for _, name := range []string{"one", "two"} {
		config.Clusters[name] = &clientcmdapi.Cluster{Server: server}
		config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
		config.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: "token of " + name}
	}
	config.CurrentContext = current
	path := filepath.Join(t.TempDir(), "kubeconfig")
	NewWithT(t).Expect(clientcmd.WriteToFile(*config, path)).To(Succeed())
	return path
}

func TestNewSelectsTheContext(t *testing.T) {
	for name, test := range map[string]struct{ context, want string }{
		"that is current": {"", "one"},
		"that is named":   {"two", "two"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			path := write(t, "https://192.0.2.1", "one")
			p, err := New(path, test.context)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(p.GetKubectlContext()).To(Equal(test.want))
			g.Expect(p.GetKubeconfig()).To(Equal(path))
			g.Expect(p.KubernetesRestConfig().BearerToken).To(Equal("token of " + test.want))
		})
	}
}

func TestNewReadsKubectlsDefaultFile(t *testing.T) {
	g := NewWithT(t)
	path := write(t, "https://192.0.2.1", "two")
	t.Setenv("KUBECONFIG", path)
	p, err := New("", "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.GetKubectlContext()).To(Equal("two"))
	g.Expect(p.GetKubeconfig()).To(Equal(path))
}

func TestNewErrors(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "nothing"))
	for name, test := range map[string]struct{ file, context, want string }{
		"a missing file": {"/nonexistent/kubeconfig", "", `^read the kubeconfig: .*/nonexistent/kubeconfig: no such file`},
		"an unknown context": {
			write(t, "https://192.0.2.1", "one"), "three", `^read context "three" of the kubeconfig: it does not exist: the kubeconfig has one, two: --context selects one of them$`,
		},
		"no current context": {
			write(t, "https://192.0.2.1", ""), "", `^no cluster is selected: the kubeconfig has one, two: --context selects one of them$`,
		},
		"no kubeconfig at all":           {"", "", `^no cluster is selected: no kubeconfig has a context: --kubeconfig or the environment variable KUBECONFIG names another one$`},
		"a context without a kubeconfig": {"", "three", `^read context "three" of the kubeconfig: `},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(test.file, test.context)
			NewWithT(t).Expect(err).To(MatchError(MatchRegexp(test.want)))
		})
	}
}

// podOf returns the configuration of a pod in the cluster of a server, as the
// kubelet and client-go provide it.
func podOf(t *testing.T, server *httptest.Server) func() (*rest.Config, error) {
	t.Helper()
	g := NewWithT(t)
	token := filepath.Join(t.TempDir(), "token")
	g.Expect(os.WriteFile(token, []byte("token of the pod"), 0o600)).To(Succeed())
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	return func() (*rest.Config, error) {
		return &rest.Config{Host: server.URL, TLSClientConfig: rest.TLSClientConfig{CAData: ca}, BearerTokenFile: token}, nil
	}
}

func TestPodsUseTheirCluster(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "nothing"))
	var user string
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user = r.Header.Get("Authorization")
		_, _ = w.Write([]byte(`{"gitVersion":"v1.37.1"}`))
	}))
	t.Cleanup(server.Close)
	p, err := newProvider("", "", podOf(t, server))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.Create(t.Context())).To(BeEmpty())
	g.Expect(user).To(Equal("Bearer token of the pod"))
	g.Expect(p.Name()).To(Equal("in-cluster"))
	// A child process that is passed both selects the cluster of the pod, too.
	g.Expect([]string{p.GetKubeconfig(), p.GetKubectlContext()}).To(Equal([]string{"", ""}))
	server.Close()
	_, err = p.Create(t.Context())
	g.Expect(err).To(MatchError(HavePrefix("cluster of this pod at " + server.URL + " does not answer: ")))
}

// A kubeconfig takes precedence in a pod, and a context needs one.
func TestPodsUseAKubeconfig(t *testing.T) {
	inPod := func() (*rest.Config, error) { return &rest.Config{Host: "https://pod"}, nil }
	path := write(t, "https://192.0.2.1", "one")
	t.Run("by flag", func(t *testing.T) {
		p, err := newProvider(path, "", inPod)
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(p.Name()).To(Equal("one"))
	})
	t.Run("by variable", func(t *testing.T) {
		t.Setenv("KUBECONFIG", path)
		p, err := newProvider("", "", inPod)
		g := NewWithT(t)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(p.Name()).To(Equal("one"))
	})
	t.Run("by context", func(t *testing.T) {
		t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "nothing"))
		_, err := newProvider("", "three", inPod)
		NewWithT(t).Expect(err).To(MatchError(HavePrefix(`read context "three" of the kubeconfig: `)))
	})
}

// The variables are set in every pod, the token is not.
func TestPodWithoutAToken(t *testing.T) {
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "nothing"))
	t.Setenv("KUBERNETES_SERVICE_HOST", "192.0.2.1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	_, err := New("", "")
	NewWithT(t).Expect(err).To(MatchError(MatchRegexp(`^use the service account of this pod: open .*token: no such file`)))
}

func TestCreateRequestsTheVersion(t *testing.T) {
	g := NewWithT(t)
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.Path)
		_, _ = w.Write([]byte(`{"gitVersion":"v1.37.1"}`))
	}))
	t.Cleanup(server.Close)
	path := write(t, server.URL, "one")
	p, err := New(path, "")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(p.Create(t.Context())).To(Equal(path))
	g.Expect(p.WaitForControlPlane(t.Context(), nil)).To(Succeed())
	g.Expect(asked).To(Equal([]string{"GET /version", "GET /version"}), "it changes nothing")
}

func TestCreateErrorNamesTheCluster(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	unauthorized := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no such user", http.StatusUnauthorized)
	}))
	t.Cleanup(unauthorized.Close)
	server.Close()
	for name, test := range map[string]struct{ url, what, want string }{
		"not reachable": {server.URL, "does not answer", "connection refused"},
		"unauthorized":  {unauthorized.URL, "rejects the credentials", "the server has asked for the client to provide credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			p, err := New(write(t, test.url, "one"), "two")
			g.Expect(err).NotTo(HaveOccurred())
			_, err = p.Create(t.Context())
			g.Expect(err).To(MatchError(And(
				HavePrefix(`cluster of context "two" at `+test.url+" "+test.what+": "),
				HaveSuffix(test.want+`: try "kubectl --context two get --raw /version", or select another cluster`))))
		})
	}
}

func TestCreateEndsWithItsContext(t *testing.T) {
	g := NewWithT(t)
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	p, err := New(write(t, server.URL, "one"), "")
	g.Expect(err).NotTo(HaveOccurred())
	_, err = p.Create(ctx)
	g.Expect(err).To(MatchError(context.Canceled))
}

func TestKubernetesRestConfigIsACopy(t *testing.T) {
	g := NewWithT(t)
	p, err := New(write(t, "https://192.0.2.1", "one"), "")
	g.Expect(err).NotTo(HaveOccurred())
	p.KubernetesRestConfig().Host = "https://elsewhere"
	g.Expect(p.KubernetesRestConfig().Host).To(Equal("https://192.0.2.1"))
}
