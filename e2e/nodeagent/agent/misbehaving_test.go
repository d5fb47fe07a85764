// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package agent_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	drapb "k8s.io/kubelet/pkg/apis/dra/v1"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// answering answers every call with a device for each of the named claims.
func answering(device string, claims ...string) func(context.Context, *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
	return func(context.Context, *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
		response := &drapb.NodePrepareResourcesResponse{Claims: map[string]*drapb.NodePrepareResourceResponse{}}
		for _, claim := range claims {
			response.Claims[claim] = &drapb.NodePrepareResourceResponse{Devices: []*drapb.Device{{PoolName: "pool", DeviceName: device}}}
		}
		return response, nil
	}
}

func hanging(ctx context.Context, _ *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

var v1 = []string{"v1.DRAPlugin"}

func TestNotRegistered(t *testing.T) {
	n := newNode(t)
	code, message := n.refused(api.PathPrepare, api.Calls{Driver: driver, Calls: [][]api.Claim{{claim("one")}}})
	n.Expect(code).To(Equal(http.StatusNotFound))
	n.Expect(message).To(Equal("driver gpu.example.com has not registered with the kubelet"))

	dead := n.abandon(driver + "-reg.sock")
	n.serve("other-reg.sock", &plugin{name: "other.example.com", versions: v1})
	_, message = n.refused(api.PathPrepare, api.Calls{Driver: driver, Calls: [][]api.Claim{{claim("one")}}})
	n.Expect(message).To(And(ContainSubstring(dead+" does not answer"), ContainSubstring("connection refused")))
	found := n.registrations()
	n.Expect(found.Plugins).To(BeEmpty())
	n.Expect(found.Silent).To(HaveLen(1))
	n.Expect(found.Silent[0].Socket).To(Equal(dead))
}

// A plugin that does not answer must not hide others. Sockets are also found in
// folders, and those with a name that begins with a dot are ignored, as by
// kubelets.
func TestRegistrationsNextToAHangingPlugin(t *testing.T) {
	n := newNode(t)
	hanging := n.serve("hanging.sock", &plugin{hangs: true})
	n.serve(".hidden.sock", &plugin{versions: v1})
	socket := n.serve("folder/any-name", &plugin{versions: v1})
	found := n.registrations()
	n.Expect(found.Plugins).To(Equal([]api.Registration{{Socket: socket, Type: "DRAPlugin", Name: driver, Versions: v1}}))
	n.Expect(found.Silent).To(HaveLen(1))
	n.Expect(found.Silent[0]).To(And(HaveField("Socket", hanging), HaveField("Error", ContainSubstring("DeadlineExceeded"))))
}

// During a rolling update a driver has two sockets. Without an endpoint, the
// calls are served by the registration socket.
func TestSeveralSockets(t *testing.T) {
	n := newNode(t)
	older := n.serve("z-old.sock", &plugin{versions: v1, prepare: answering("old", "one")})
	newer := n.serve("a-new.sock", &plugin{versions: v1, prepare: answering("new", "one")})
	n.age(older)
	n.Expect(n.registrations().Plugins).To(HaveLen(2))
	answer := n.prepare(once(claim("one")))[0]
	n.Expect(answer.Socket).To(Equal(newer))
	n.Expect(answer.Claims["one"].Devices[0].Device).To(Equal("new"))
	calls := once(claim("one"))
	calls.Socket = older
	n.Expect(n.prepare(calls)[0].Claims["one"].Devices[0].Device).To(Equal("old"))
	calls.Driver, calls.Socket = driver, n.path("plugins_registry", "no.sock")
	code, message := n.refused(api.PathPrepare, calls)
	n.Expect(code).To(Equal(http.StatusNotFound))
	n.Expect(message).To(ContainSubstring("only at " + newer))
}

// The kubelet uses the first known service in the driver's order.
func TestServices(t *testing.T) {
	n := newNode(t)
	older := n.serve("older.sock", &plugin{versions: []string{"v1alpha3.DRAPlugin"}})
	code, message := n.refused(api.PathPrepare, api.Calls{Driver: driver, Calls: [][]api.Claim{{claim("one")}}})
	n.Expect(code).To(Equal(http.StatusInternalServerError))
	n.Expect(message).To(ContainSubstring(`has registered the services ["v1alpha3.DRAPlugin"] at socket ` + older))
	n.age(older)
	n.serve("both.sock", &plugin{versions: []string{"v9.DRAPlugin", "v1beta1.DRAPlugin", "v1.DRAPlugin"}})
	answer := n.prepare(once(claim("one")))[0]
	n.Expect(answer.Service).To(Equal("v1beta1.DRAPlugin"))
	n.Expect(answer.Code).To(Equal("Unimplemented"), "the plugin offers a service that it does not have")
	n.Expect(get[api.HealthReport](n, api.PathHealth, api.HealthRequest{Driver: driver})).To(Equal(api.HealthReport{}), "it offers no health service")
}

func TestDeadlineAndCancel(t *testing.T) {
	n := newNode(t)
	n.serve("reg.sock", &plugin{versions: v1, prepare: hanging})
	calls := once(claim("one"))
	calls.Timeout = 50 * time.Millisecond
	answer := n.prepare(calls)[0]
	n.Expect(answer.Code).To(Equal("DeadlineExceeded"))
	n.Expect(answer.Duration).To(And(BeNumerically(">", 0), BeNumerically("<", 30*time.Second)))
	calls.Timeout, calls.CancelAfter = time.Minute, 50*time.Millisecond
	answer = n.prepare(calls)[0]
	n.Expect(answer.Code).To(Equal("Canceled"))
	n.Expect(answer.Duration).To(And(BeNumerically(">", 0), BeNumerically("<", 30*time.Second)))
}

// Parallel calls wait for each other here, so that calls one after the other
// would never end.
func TestParallelCallsAreParallel(t *testing.T) {
	n := newNode(t)
	arrived := make(chan struct{}, 2)
	all := make(chan struct{})
	go func() {
		<-arrived
		<-arrived
		close(all)
	}()
	n.serve("reg.sock", &plugin{versions: v1, prepare: func(ctx context.Context, r *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
		arrived <- struct{}{}
		select {
		case <-all:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		return answering(r.Claims[0].Name, r.Claims[0].Uid)(ctx, r)
	}})
	answers := n.prepare(api.Calls{Calls: [][]api.Claim{{claim("one")}, {claim("other")}}, Parallel: true})
	n.Expect(answers[0].Claims["one"].Devices[0].Device).To(Equal("one"))
	n.Expect(answers[1].Claims["other"].Devices[0].Device).To(Equal("other"), "answers have the order of the calls")
}

// What a driver answers is not filtered: the spec judges it.
func TestAnswersAreUnchanged(t *testing.T) {
	n := newNode(t)
	n.serve("reg.sock", &plugin{versions: v1, prepare: func(ctx context.Context, r *drapb.NodePrepareResourcesRequest) (*drapb.NodePrepareResourcesResponse, error) {
		if len(r.Claims) > 1 {
			return nil, status.Error(codes.ResourceExhausted, "too many claims")
		}
		return answering("gpu", "another", "yet another")(ctx, r)
	}})
	answer := n.prepare(once(claim("one")))[0]
	n.Expect(answer.Code).To(Equal(api.CodeOK))
	n.Expect(answer.Claims).To(And(HaveLen(2), HaveKey("another"), HaveKey("yet another")))
	answer = n.prepare(once(claim("one"), claim("other")))[0]
	n.Expect(answer).To(And(HaveField("Code", "ResourceExhausted"), HaveField("Message", "too many claims"), HaveField("Claims", BeEmpty())))
}

// The process of a driver has ended, and its registration is served by another.
func TestEndpointIsDead(t *testing.T) {
	n := newNode(t)
	n.serve("reg.sock", &plugin{versions: v1, endpoint: n.path("no.sock")})
	n.Expect(n.prepare(once(claim("one")))[0].Code).To(Equal("Unavailable"))
	n.Expect(get[api.HealthReport](n, api.PathHealth, api.HealthRequest{Driver: driver, Service: "v1.DRAResourceHealth"}).Code).To(Equal("Unavailable"))
}

// A driver without the health service answers Unimplemented.
func TestHealthUnimplemented(t *testing.T) {
	n := newNode(t)
	n.serve("reg.sock", &plugin{versions: []string{"v1.DRAPlugin", "v1alpha1.DRAResourceHealth"}})
	report := get[api.HealthReport](n, api.PathHealth, api.HealthRequest{Driver: driver})
	n.Expect(report).To(And(HaveField("Service", "v1alpha1.DRAResourceHealth"), HaveField("Code", "Unimplemented"), HaveField("Devices", BeEmpty())))
}
