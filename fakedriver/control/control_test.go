// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package control_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/dynamic-resource-allocation/kubeletplugin"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/calls"
	"github.com/draconform/draconform/fakedriver/claims"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/internal/fakeapi"
)

const token = "token-of-the-run"

// drivers records the requests that it receives and returns configured errors.
type drivers struct {
	mu       sync.Mutex
	recorded []any
	fails    error
}

func (d *drivers) record(what ...any) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.recorded = what
	return d.fails
}

func (d *drivers) last() []any {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.recorded
}

var (
	status = control.Status{
		Driver: "mig.example.com", Registered: true, Claims: []string{"default/a"}, Damage: []string{"a file"},
		Partitions: claims.Partitions{Created: 2, Destroyed: 1, Live: []claims.Partition{{Device: "gpu-0-half-0", Claims: []string{"default/a"}}}},
	}
	log = []calls.Call{{Seq: 3, Method: calls.Prepare, Fault: calls.Fail, Error: "broken"}}
)

func (d *drivers) List() []control.Status { _ = d.record("list"); return []control.Status{status} }
func (d *drivers) Status(_ string) (control.Status, error) {
	return status, d.fails
}
func (d *drivers) Publish(ctx context.Context, driver string, published control.Published) error {
	if _, bounded := ctx.Deadline(); !bounded {
		return errors.New("publishing must have a deadline")
	}
	return d.record("publish", driver, published)
}
func (d *drivers) Stop(_ context.Context, driver string) error { return d.record("stop", driver) }
func (d *drivers) Calls(driver string, after int) ([]calls.Call, error) {
	return log, d.record("calls", driver, after)
}
func (d *drivers) Inject(driver string, fault calls.Fault) error {
	return d.record("inject", driver, fault)
}
func (d *drivers) Release(driver string) error { return d.record("release", driver) }
func (d *drivers) Register(driver string, offered bool) error {
	return d.record("register", driver, offered)
}
func (d *drivers) SetHealth(driver string, health control.Health) error {
	return d.record("health", driver, health)
}
func (d *drivers) SetDisk(driver string, disk claims.Disk) error {
	return d.record("disk", driver, disk)
}
func (d *drivers) Damage(driver string, damage control.Damage) error {
	return d.record("damage", driver, damage)
}
func (d *drivers) Exit() { _ = d.record("exit") }

// serve starts the endpoint for the drivers. It returns its address and the
// path of its token file.
func serve(t *testing.T, d control.Drivers) (address, tokenFile string) {
	t.Helper()
	tokenFile = filepath.Join(t.TempDir(), "token")
	NewWithT(t).Expect(os.WriteFile(tokenFile, []byte(token+"\n"), 0o600)).To(Succeed())
	server := httptest.NewServer(control.Handler(tokenFile, d))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://"), tokenFile
}

func newClient(t *testing.T, d *drivers, token string) *control.Client {
	t.Helper()
	address, _ := serve(t, d)
	return control.NewClient(fakeapi.NewPodProxy(t, "drivers", "pod-1", control.Port, address), "drivers", "pod-1", token)
}

// Guards that requests of the client through the API server's proxy reach the
// drivers unchanged, and that the client receives their responses.
func TestRoundTrip(t *testing.T) {
	d := &drivers{}
	client := newClient(t, d, token)
	published := control.Published{
		Devices:  control.Devices{Model: "a100-40gb", Count: 2},
		Taints:   map[string][]resourceapi.DeviceTaint{"gpu-0": {{Key: "broken.example.com", Effect: resourceapi.DeviceTaintEffectNoSchedule}}},
		Affinity: map[string]affinity.Rule{"nic": {Declaration: affinity.Declaration{AttributeKeys: []string{"x/subnet"}}, Declared: true}},
		Defect:   control.DuplicateDevice,
	}
	fault := calls.Fault{Method: calls.Prepare, Action: calls.Fail, Count: 2, Message: "no"}
	health := control.Health{"gpu-0": {Status: kubeletplugin.HealthStatusUnhealthy, Message: "hot"}}
	damage := control.Damage{Checkpoint: claims.Zeroed}
	const driver = "mig.example.com"
	for _, test := range []struct {
		name string
		call func() (any, error)
		want []any
		out  any
	}{
		{"list", func() (any, error) { return client.List(t.Context()) }, []any{"list"}, []control.Status{status}},
		{"publish", func() (any, error) { return client.Publish(t.Context(), driver, published) }, []any{"publish", driver, published}, status},
		{"stop", func() (any, error) { return nil, client.Stop(t.Context(), driver) }, []any{"stop", driver}, nil},
		{"calls", func() (any, error) { return client.Calls(t.Context(), driver, 2) }, []any{"calls", driver, 2}, log},
		{"all calls", func() (any, error) { return client.Calls(t.Context(), driver, 0) }, []any{"calls", driver, 0}, log},
		{"inject", func() (any, error) { return nil, client.Inject(t.Context(), driver, fault) }, []any{"inject", driver, fault}, nil},
		{"release", func() (any, error) { return nil, client.Release(t.Context(), driver) }, []any{"release", driver}, nil},
		{"withdraw", func() (any, error) { return nil, client.Register(t.Context(), driver, false) }, []any{"register", driver, false}, nil},
		{"register", func() (any, error) { return nil, client.Register(t.Context(), driver, true) }, []any{"register", driver, true}, nil},
		{"health", func() (any, error) { return nil, client.SetHealth(t.Context(), driver, health) }, []any{"health", driver, health}, nil},
		{"disk", func() (any, error) { return nil, client.SetDisk(t.Context(), driver, claims.Disk{SpecsFull: true}) }, []any{"disk", driver, claims.Disk{SpecsFull: true}}, nil},
		{"damage", func() (any, error) { return nil, client.Damage(t.Context(), driver, damage) }, []any{"damage", driver, damage}, nil},
		{"exit", func() (any, error) { return nil, client.Exit(t.Context()) }, []any{"exit"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			g := NewWithT(t)
			out, err := test.call()
			g.Expect(err).NotTo(HaveOccurred())
			g.Eventually(d.last, "1m", "1ms").Should(Equal(test.want), "the exit follows the response")
			if test.out != nil {
				g.Expect(out).To(Equal(test.out))
			}
		})
	}
	NewWithT(t).Expect(client.Status(t.Context(), driver)).To(Equal(status))
}

func TestClientErrorsWrapTheirKind(t *testing.T) {
	for _, kind := range []error{control.ErrInvalid, control.ErrUnknownDriver, control.ErrInUse, control.ErrPending} {
		g := NewWithT(t)
		client := newClient(t, &drivers{fails: fmt.Errorf("%w: because", kind)}, token)
		err := client.Stop(t.Context(), "d")
		g.Expect(err).To(MatchError(kind))
		g.Expect(err).To(MatchError("control drivers of pod drivers/pod-1: " + kind.Error() + ": because"))
	}
	g := NewWithT(t)
	err := newClient(t, &drivers{fails: errors.New("disk full")}, token).Stop(t.Context(), "d")
	g.Expect(err).To(MatchError("control drivers of pod drivers/pod-1: disk full"))
	address, _ := serve(t, &drivers{})
	elsewhere := control.NewClient(fakeapi.NewPodProxy(t, "drivers", "pod-1", control.Port, address), "drivers", "pod-2", token)
	g.Expect(elsewhere.Stop(t.Context(), "d")).To(MatchError(ContainSubstring("could not find the requested resource")), "an error of the API server")
}

func TestToken(t *testing.T) {
	g := NewWithT(t)
	d := &drivers{}
	for _, wrong := range []string{"", "guess", fakeapi.UserToken} {
		client := newClient(t, d, wrong)
		g.Expect(client.Stop(t.Context(), "d")).To(MatchError(ContainSubstring("the header Draconform-Token does not have the token")))
		g.Expect(client.Exit(t.Context())).NotTo(Succeed())
	}
	g.Expect(d.recorded).To(BeEmpty())

	address, file := serve(t, d)
	client := control.NewClient(fakeapi.NewPodProxy(t, "drivers", "pod-1", control.Port, address), "drivers", "pod-1", "new")
	g.Expect(client.Stop(t.Context(), "d")).NotTo(Succeed())
	g.Expect(os.WriteFile(file, []byte("new"), 0o600)).To(Succeed())
	g.Expect(client.Stop(t.Context(), "d")).To(Succeed(), "a token may change")
	for _, content := range []string{"", "\n"} {
		g.Expect(os.WriteFile(file, []byte(content), 0o600)).To(Succeed())
		g.Expect(control.NewClient(fakeapi.NewPodProxy(t, "drivers", "pod-1", control.Port, address), "drivers", "pod-1", content).
			Stop(t.Context(), "d")).NotTo(Succeed(), "an empty token is not accepted")
	}
	g.Expect(os.Remove(file)).To(Succeed())
	g.Expect(client.Stop(t.Context(), "d")).NotTo(Succeed())
}

func TestInvalidRequests(t *testing.T) {
	address, _ := serve(t, &drivers{})
	for _, test := range []struct {
		method, path, body string
		status             int
		message            string
	}{
		{"PUT", "/control/v1/drivers/d", `{`, http.StatusBadRequest, "invalid: decode request"},
		{"PUT", "/control/v1/drivers/d", `{"colour":"green"}`, http.StatusBadRequest, `unknown field \"colour\"`},
		{"PUT", "/control/v1/drivers/d", `{"devices":{"description":"` + strings.Repeat("x", 1<<20) + `"}}`, http.StatusBadRequest, "too large"},
		{"POST", "/control/v1/drivers/d/faults", ``, http.StatusBadRequest, "decode request"},
		{"PUT", "/control/v1/drivers/d/registration", `[]`, http.StatusBadRequest, "decode request"},
		{"PUT", "/control/v1/drivers/d/health", `[]`, http.StatusBadRequest, "decode request"},
		{"GET", "/control/v1/drivers/d/calls?after=x", ``, http.StatusBadRequest, `after=\"x\" is not a number`},
		{"GET", "/control/v1/nothing", ``, http.StatusNotFound, "not found"},
		{"POST", "/control/v1/drivers", ``, http.StatusMethodNotAllowed, "Method Not Allowed"},
	} {
		g := NewWithT(t)
		request := httptest.NewRequestWithContext(t.Context(), test.method, "http://"+address+test.path, strings.NewReader(test.body))
		request.RequestURI = ""
		request.Header.Set(control.TokenHeader, token)
		response, err := http.DefaultClient.Do(request)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(response).To(HaveHTTPStatus(test.status), test.path)
		g.Expect(response).To(HaveHTTPBody(ContainSubstring(test.message)), test.path)
		g.Expect(response.Body.Close()).To(Succeed())
	}
}
