// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/nodeagent/api"
)

// Agent is the node agent of all nodes. It calls the drivers of the cluster.
type Agent struct{ cluster *Cluster }

// Agent returns the node agent.
func (c *Cluster) Agent() Agent { return Agent{c} }

// agentServices are the gRPC services of a driver.
var agentServices = []string{"v1.DRAPlugin", "v1beta1.DRAPlugin", "v1.DRAResourceHealth"}

// registered returns the driver on a node, with the cluster locked, and a
// function that unlocks the cluster.
func (a Agent) registered(driver, node string) (*Driver, func(), error) {
	c := a.cluster
	c.mu.Lock()
	c.advance()
	if err := c.errStopped(node); err != nil {
		c.mu.Unlock()
		return nil, nil, fmt.Errorf("driver %s has %w with the kubelet", driver, api.ErrNotRegistered)
	}
	return c.driverOn(node), c.mu.Unlock, nil
}

// Registrations returns the registration of a driver.
func (a Agent) Registrations(_ context.Context, node, driver string) (api.Registrations, error) {
	_, unlock, err := a.registered(driver, node)
	if err != nil {
		return api.Registrations{}, nil
	}
	defer unlock()
	found := api.Registrations{Plugins: []api.Registration{{
		Socket: "/var/lib/kubelet/plugins_registry/" + driver + "-reg.sock", Type: "DRAPlugin", Name: driver,
		Endpoint: "/var/lib/kubelet/plugins/" + driver + "/dra.sock", Versions: slices.Clone(agentServices),
	}}}
	if change := a.cluster.Mistakes.Misregisters; change != nil {
		change(&found)
	}
	found.Plugins = slices.DeleteFunc(found.Plugins, func(r api.Registration) bool { return r.Name != driver })
	return found, nil
}

// Health reports all devices of a driver as healthy.
func (a Agent) Health(_ context.Context, node string, request api.HealthRequest) (api.HealthReport, error) {
	_, unlock, err := a.registered(request.Driver, node)
	if err != nil {
		return api.HealthReport{}, err
	}
	defer unlock()
	report := api.HealthReport{Service: agentServices[2]}
	published, err := a.cluster.slices()
	for _, slice := range published {
		// The slices of multi-host devices have no node.
		if slice.Spec.Driver != request.Driver || ptr.Deref(slice.Spec.NodeName, node) != node {
			continue
		}
		for _, device := range slice.Spec.Devices {
			report.Devices = append(report.Devices, api.DeviceHealth{Pool: slice.Spec.Pool.Name, Device: device.Name, Health: "HEALTHY"})
		}
	}
	if change := a.cluster.Mistakes.Misreports; change != nil {
		change(&report)
	}
	return report, err
}

// KubeletClaims returns the claims that the kubelet has prepared.
func (a Agent) KubeletClaims(_ context.Context, node string) ([]api.KubeletClaim, error) {
	c := a.cluster
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	all := []api.KubeletClaim{}
	for u, held := range c.kubelets.stored {
		if u.node != node {
			continue
		}
		claim := api.KubeletClaim{Claim: api.Claim{Namespace: u.claim.Namespace, Name: u.claim.Name, UID: string(u.uid)}, Drivers: map[string][]api.Device{}}
		for _, device := range held {
			claim.Drivers[device.driver] = append(claim.Drivers[device.driver], device.Device)
		}
		all = append(all, claim)
	}
	return all, nil
}
