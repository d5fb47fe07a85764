// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package run

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/draconform/draconform/e2e/nodeagent/client"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
)

// agentOptions describe the node agents of the run, which may call the given
// drivers.
func (r *runner) agentOptions(drivers []string) client.Options {
	return client.Options{RunID: r.id, Namespace: "draconform-" + r.suffix + "-agent", Image: r.NodeAgentImage, Drivers: drivers}
}

// connectAgents adds the node agents to what specs find in the cluster. The
// agents are installed later. A cluster of the run has them in any case.
func (r *runner) connectAgents(target *env.Target, owned bool) error {
	drivers := target.Subject.Drivers()
	if !owned && !r.NodeAgent || len(drivers) == 0 {
		return nil
	}
	agents, err := client.Connect(r.client, r.agentOptions(drivers))
	if err != nil {
		return err
	}
	target.Agent = agents
	return nil
}

// installAgents installs node agents on the nodes with devices of the drivers,
// if specs need them. It returns a function that removes them.
func (r *runner) installAgents(ctx context.Context, drivers []string, specs []suite.Spec) (remove func(context.Context) error, err error) {
	nothing := func(context.Context) error { return nil }
	if !slices.ContainsFunc(specs, func(s suite.Spec) bool { return slices.Contains(s.Needs, env.NeedsNodeAgent) }) {
		return nothing, nil
	}
	nodes, err := r.nodesWithDevices(ctx, drivers)
	if err != nil {
		return nothing, err
	}
	st := r.Progress.Task("node agents on %d nodes", len(nodes))
	options := r.agentOptions(drivers)
	remove = func(ctx context.Context) error {
		if r.Keep {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTimeout)
		defer cancel()
		return client.Remove(ctx, r.client, options)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, installTimeout, fmt.Errorf("not ready after %s", installTimeout))
	defer cancel()
	if _, err := client.Install(ctx, r.client, options, nodes...); err != nil {
		return remove, st.Fail(err)
	}
	st.Done("respond")
	return remove, nil
}

// nodesWithDevices returns the ready nodes for which drivers publish devices. An agent
// on another one would never answer.
func (r *runner) nodesWithDevices(ctx context.Context, drivers []string) ([]string, error) {
	all, err := r.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	ready := slices.DeleteFunc(all.Items, func(node corev1.Node) bool { return !env.Ready(&node) })
	with := map[string]bool{}
	for _, driver := range drivers {
		published, err := r.client.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{FieldSelector: resourceapi.ResourceSliceSelectorDriver + "=" + driver})
		if err != nil {
			return nil, fmt.Errorf("list the slices of driver %s: %w", driver, err)
		}
		for node := range devices.OnNodes(published.Items, ready, true) {
			with[node] = true
		}
	}
	if len(with) == 0 {
		return nil, errors.New("no node for the node agent: no driver publishes ResourceSlices with devices of a ready node")
	}
	return slices.Sorted(maps.Keys(with)), nil
}
