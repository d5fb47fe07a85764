// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"
	registerapi "k8s.io/kubelet/pkg/apis/pluginregistration/v1"

	"github.com/draconform/draconform/e2e/nodeagent/agent"
	"github.com/draconform/draconform/e2e/nodeagent/api"
)

const (
	driver = "gpu.example.com"
	token  = "the-token"
)

// node is a node with an agent.
type node struct {
	*WithT
	t      *testing.T
	config agent.Config
	url    string
}

func newNode(t *testing.T) *node {
	t.Helper()
	g := NewWithT(t)
	// The path of a socket has at most 107 characters. t.TempDir is too long.
	dir, err := os.MkdirTemp("", "") //nolint:usetesting // see above
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(os.RemoveAll(dir)).To(Succeed()) })
	n := &node{WithT: g, t: t, config: agent.Config{
		Drivers: []string{driver}, KubeletDir: dir, CDIDirs: []string{filepath.Join(dir, "cdi"), filepath.Join(dir, "static")}, Token: token,
	}}
	g.Expect(os.Mkdir(filepath.Join(dir, "plugins_registry"), 0o755)).To(Succeed())
	handler, err := agent.Handler(n.config)
	g.Expect(err).NotTo(HaveOccurred())
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	n.url = server.URL
	return n
}

func (n *node) path(elements ...string) string {
	return filepath.Join(append([]string{n.config.KubeletDir}, elements...)...)
}

// post sends a request and returns the status and the body of the response.
func (n *node) post(path, token string, body []byte) (int, []byte) {
	n.t.Helper()
	request, err := http.NewRequestWithContext(n.t.Context(), http.MethodPost, n.url+path, bytes.NewReader(body))
	n.Expect(err).NotTo(HaveOccurred())
	request.Header.Set(api.TokenHeader, token)
	response, err := http.DefaultClient.Do(request)
	n.Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	var out bytes.Buffer
	_, err = out.ReadFrom(response.Body)
	n.Expect(err).NotTo(HaveOccurred())
	return response.StatusCode, out.Bytes()
}

// refused sends a request that must fail, and returns the status and the error.
func (n *node) refused(path string, request any) (int, string) {
	n.t.Helper()
	body, err := json.Marshal(request)
	n.Expect(err).NotTo(HaveOccurred())
	status, data := n.post(path, token, body)
	var failure api.Failure
	n.Expect(json.Unmarshal(data, &failure)).To(Succeed(), string(data))
	n.Expect(failure.Error).NotTo(BeEmpty())
	return status, failure.Error
}

// get sends a request that must succeed.
func get[T any](n *node, path string, request any) T {
	n.t.Helper()
	body, err := json.Marshal(request)
	n.Expect(err).NotTo(HaveOccurred())
	status, data := n.post(path, token, body)
	n.Expect(status).To(Equal(http.StatusOK), string(data))
	var out T
	n.Expect(json.Unmarshal(data, &out)).To(Succeed())
	return out
}

func (n *node) registrations() api.Registrations {
	n.t.Helper()
	return get[api.Registrations](n, api.PathRegistrations, api.DriverRequest{Driver: driver})
}

func (n *node) prepare(calls api.Calls) []api.Answer {
	n.t.Helper()
	calls.Driver = driver
	return get[[]api.Answer](n, api.PathPrepare, calls)
}

func (n *node) unprepare(calls api.Calls) []api.Answer {
	n.t.Helper()
	calls.Driver = driver
	return get[[]api.Answer](n, api.PathUnprepare, calls)
}

func (n *node) cdiFiles() []api.CDIFile {
	n.t.Helper()
	return get[[]api.CDIFile](n, api.PathCDI, api.Empty{})
}

// claim returns the reference to a claim whose UID is its name.
func claim(name string) api.Claim {
	return api.Claim{Namespace: "default", Name: name, UID: name}
}

// once is one call for some claims.
func once(claims ...api.Claim) api.Calls { return api.Calls{Calls: [][]api.Claim{claims}} }

// plugin is a plugin that does not use the helper of Kubernetes. It answers as
// configured.
type plugin struct {
	registerapi.UnimplementedRegistrationServer
	drapb.UnimplementedDRAPluginServer
	name, endpoint string
	versions       []string
	// hangs makes GetInfo wait for the end of the call.
	hangs   bool
	prepare func(context.Context, *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error)
}

func (p *plugin) GetInfo(ctx context.Context, _ *registerapi.InfoRequest) (*registerapi.PluginInfo, error) {
	if p.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &registerapi.PluginInfo{Type: registerapi.DRAPlugin, Name: p.name, Endpoint: p.endpoint, SupportedVersions: p.versions}, nil
}

func (p *plugin) NodePrepareResources(ctx context.Context, request *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
	return p.prepare(ctx, request)
}

// serve serves a plugin on a socket in the plugin registry directory. The path
// of the socket is returned.
func (n *node) serve(socket string, p *plugin) string {
	n.t.Helper()
	if p.name == "" {
		p.name = driver
	}
	path := n.path("plugins_registry", socket)
	n.Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
	listener, err := (&net.ListenConfig{}).Listen(n.t.Context(), "unix", path)
	n.Expect(err).NotTo(HaveOccurred())
	server := grpc.NewServer()
	registerapi.RegisterRegistrationServer(server, p)
	drapb.RegisterDRAPluginServer(server, p)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	n.t.Cleanup(func() {
		server.Stop()
		n.Expect(<-ended).To(Succeed())
	})
	return path
}

// abandon leaves a socket of a process that has ended.
func (n *node) abandon(socket string) string {
	n.t.Helper()
	path := n.path("plugins_registry", socket)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	n.Expect(err).NotTo(HaveOccurred())
	listener.SetUnlinkOnClose(false)
	n.Expect(listener.Close()).To(Succeed())
	return path
}

// age makes a socket older.
func (n *node) age(socket string) {
	n.t.Helper()
	before := time.Now().Add(-time.Hour)
	n.Expect(os.Chtimes(socket, before, before)).To(Succeed())
}
