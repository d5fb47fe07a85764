// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"

	"github.com/draconform/draconform/e2e/nodeagent/agent"
	"github.com/draconform/draconform/e2e/nodeagent/api"
)

var paths = []string{api.PathPing, api.PathRegistrations, api.PathPrepare, api.PathUnprepare, api.PathHealth, api.PathCDI, api.PathClaims}

func TestEveryRequestNeedsTheToken(t *testing.T) {
	n := newNode(t)
	for _, path := range append(paths, "/", "/agent/v1/unknown") {
		for _, wrong := range []string{"", "wrong", token + "x"} {
			status, body := n.post(path, wrong, []byte(`{"driver":"`+driver+`"}`))
			n.Expect(status).To(Equal(http.StatusForbidden), path)
			n.Expect(string(body)).To(ContainSubstring("does not have the token"))
			n.Expect(string(body)).NotTo(ContainSubstring(token))
		}
	}
	status, _ := n.post(api.PathPing, token, []byte("{}"))
	n.Expect(status).To(Equal(http.StatusOK))
}

func TestInvalidRequests(t *testing.T) {
	n := newNode(t)
	n.serve("reg.sock", &plugin{versions: v1, prepare: hanging})
	for _, path := range paths {
		for _, body := range []string{"", "[]", `{"drivr":"x"}`, `{} {}`, "{} x", `{"driver":`, strings.Repeat(" ", api.MaxBody+1) + "{}"} {
			status, data := n.post(path, token, []byte(body))
			n.Expect(status).To(Equal(http.StatusBadRequest), "%s %.20q: %s", path, body, data)
		}
	}
	many := make([][]api.Claim, api.MaxCalls+1)
	for name, request := range map[string]api.Calls{
		`must not call driver "other.example.com", only ["gpu.example.com"]`: {Driver: "other.example.com", Calls: [][]api.Claim{{}}},
		"0 calls, want 1 to 64":              {Driver: driver},
		"65 calls, want 1 to 64":             {Driver: driver, Calls: many},
		"a call with 33 claims":              {Driver: driver, Calls: [][]api.Claim{make([]api.Claim, api.MaxClaims+1)}},
		"the time limit 1m0.000000001s":      {Driver: driver, Calls: [][]api.Claim{{}}, Timeout: api.MaxTimeout + 1},
		"the time limit -1ns":                {Driver: driver, Calls: [][]api.Claim{{}}, Timeout: -1},
		"calls cannot be canceled after -1n": {Driver: driver, Calls: [][]api.Claim{{}}, CancelAfter: -1},
		`service "v2.DRAPlugin" is not know`: {Driver: driver, Calls: [][]api.Claim{{}}, Service: "v2.DRAPlugin"},
	} {
		status, message := n.refused(api.PathPrepare, request)
		n.Expect(status).To(Equal(http.StatusBadRequest), message)
		n.Expect(message).To(ContainSubstring(name))
	}
	status, message := n.refused(api.PathHealth, api.HealthRequest{Driver: driver, Service: "v1.DRAPlugin"})
	n.Expect(status).To(Equal(http.StatusBadRequest), message)
	status, message = n.refused(api.PathRegistrations, api.DriverRequest{Driver: "other.example.com"})
	n.Expect(status).To(Equal(http.StatusBadRequest), message)
}

// Waiting requests must not use up the node's memory.
func TestTooManyRequests(t *testing.T) {
	n := newNode(t)
	called, release := make(chan struct{}, 16), make(chan struct{})
	n.serve("reg.sock", &plugin{versions: v1, prepare: func(ctx context.Context, r *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
		called <- struct{}{}
		<-release
		return answering("gpu", "one")(ctx, r)
	}})
	var wait sync.WaitGroup
	for range 16 {
		wait.Go(func() { n.prepare(once(claim("one"))) })
	}
	for range 16 {
		n.Eventually(called, 30*time.Second).Should(Receive())
	}
	status, _ := n.refused(api.PathPing, api.Empty{})
	n.Expect(status).To(Equal(http.StatusTooManyRequests))
	close(release)
	wait.Wait()
	get[api.Empty](n, api.PathPing, api.Empty{})
}

func TestInvalidConfig(t *testing.T) {
	valid := agent.Config{Drivers: []string{driver}, KubeletDir: "/kubelet", CDIDirs: []string{"/cdi"}, Token: token}
	for part, change := range map[string]func(*agent.Config){
		"the token is empty":               func(c *agent.Config) { c.Token = "" },
		"there is no driver":               func(c *agent.Config) { c.Drivers = nil },
		`"A" is not the name of a driver`:  func(c *agent.Config) { c.Drivers = []string{"A"} },
		`"kubelet" is not an absolute pat`: func(c *agent.Config) { c.KubeletDir = "kubelet" },
		`"cdi" is not an absolute path`:    func(c *agent.Config) { c.CDIDirs = []string{"cdi"} },
	} {
		g := NewWithT(t)
		config := valid
		change(&config)
		_, err := agent.Handler(config)
		g.Expect(err).To(MatchError(ContainSubstring(part)))
	}
}
