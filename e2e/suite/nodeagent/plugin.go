// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package nodeagent calls drivers on nodes as the kubelet does, by the node
// agent, and reads CDI files and the kubelet's checkpoint.
package nodeagent

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"

	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/operations"
)

// Plugin is a driver on a node.
type Plugin struct{ Driver, Node string }

// String returns the driver and the node, for messages.
func (p Plugin) String() string { return fmt.Sprintf("driver %s on node %s", p.Driver, p.Node) }

// The gRPC services that kubelets use, newest first.
var knownServices = []string{"v1.DRAPlugin", "v1beta1.DRAPlugin"}

// pluginType is the type of DRA drivers in registrations.
const pluginType = "DRAPlugin"

// requestTimeout is the timeout of a request without calls of the driver. The
// address of the agent's pod may be outdated, and then the request gets no
// answer.
const requestTimeout = 10 * time.Second

// WaitForRegistrations waits until a driver has registered on its node, and
// returns its registrations. There are several while one instance of the driver
// replaces another.
func WaitForRegistrations(ctx context.Context, e *env.Env, p Plugin) []operations.Registration {
	ginkgo.GinkgoHelper()
	ginkgo.By("reading the registration of " + p.String())
	var found operations.Registrations
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		ctx, cancel := context.WithTimeout(ctx, requestTimeout)
		defer cancel()
		found, err = e.Agent.Registrations(ctx, p.Node, p.Driver)
		if err == nil && len(found.Plugins) == 0 {
			err = fmt.Errorf("no plugin has this name, and these sockets do not answer: %v", found.Silent)
		}
		return err
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "%s should have registered with the kubelet under its name", p)
	return found.Plugins
}

// Unreachable states why node agents cannot call a driver: its socket is not below the
// kubelet's folder, which is all that they mount. It is empty if they can, or if the driver
// is not registered at present.
func Unreachable(ctx context.Context, e *env.Env, p Plugin) string {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	found, err := e.Agent.Registrations(ctx, p.Node, p.Driver)
	if err != nil {
		return "" // The calls have retries.
	}
	for _, r := range found.Plugins {
		folder, _, isBelow := strings.Cut(r.Socket, "/plugins_registry/")
		if isBelow && r.Endpoint != "" && !strings.HasPrefix(path.Clean(r.Endpoint), folder+"/") {
			return fmt.Sprintf("%s serves calls at %s, which is not below %s", p, r.Endpoint, folder)
		}
	}
	return ""
}

// ExpectRegistration asserts that a kubelet accepts a registration: its type is
// that of DRA drivers, and it offers a service that kubelets know.
func ExpectRegistration(p Plugin, r operations.Registration) {
	ginkgo.GinkgoHelper()
	gomega.Expect(r.Type).To(gomega.Equal(pluginType), "%s should register as a plugin of the type %s", p, pluginType)
	gomega.Expect(KnownServices(r)).NotTo(gomega.BeEmpty(), "%s should offer one of the services %q, and offers %q", p, knownServices, r.Versions)
}

// KnownServices returns the gRPC services of a registration that kubelets know,
// for preparing and unpreparing claims.
func KnownServices(r operations.Registration) []string {
	return slices.DeleteFunc(slices.Clone(r.Versions), func(service string) bool { return !slices.Contains(knownServices, service) })
}

// GetAnswers makes calls of one method, [operations.Prepare] or
// [operations.Unprepare], and returns their answers. Only requests that do not
// reach the driver are repeated.
func GetAnswers(ctx context.Context, e *env.Env, p Plugin, method string, calls operations.PluginCalls) (answers []operations.PluginAnswer) {
	ginkgo.GinkgoHelper()
	gomega.Eventually(ctx, func(ctx context.Context) (err error) {
		answers, err = send(ctx, e, p, method, calls)
		return err
	}).WithTimeout(e.Timeouts.Recovery).Should(gomega.Succeed(), "%s should be registered, and the node agent should answer", p)
	return answers
}

// send is [GetAnswers] without retries.
func send(ctx context.Context, e *env.Env, p Plugin, method string, calls operations.PluginCalls) ([]operations.PluginAnswer, error) {
	calls.Driver = p.Driver
	if method == operations.Unprepare {
		return e.Agent.Unprepare(ctx, p.Node, calls)
	}
	return e.Agent.Prepare(ctx, p.Node, calls)
}

// Repeat returns calls with the same claims, the given number of times.
func Repeat(times int, claims ...operations.PluginClaim) [][]operations.PluginClaim {
	return slices.Repeat([][]operations.PluginClaim{claims}, times)
}
