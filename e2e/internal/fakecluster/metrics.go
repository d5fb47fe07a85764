// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package fakecluster

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// counters are the counters of the metrics that components have incremented.
type counters struct {
	// madeClaims is the number of claims that were created for pods.
	madeClaims int
	// bindings is the number of devices with binding conditions by their driver and
	// the outcome.
	bindings map[[2]string]int
}

// ReadMetrics implements [operations.Metrics].
func (c *Cluster) ReadMetrics(_ context.Context, component string) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.advance()
	var text string
	var err error
	switch component {
	case "scheduler":
		text, err = c.schedulerMetrics()
	case "controller-manager":
		text, err = c.controllerMetrics()
	default:
		err = fmt.Errorf("there is no component %s", component)
	}
	if change := c.Mistakes.Mismeasures; change != nil {
		text = change(text)
	}
	return []byte(text), err
}

func (c *Cluster) schedulerMetrics() (string, error) {
	all, err := c.sharedPods()
	if err != nil {
		return "", err
	}
	waiting := 0
	for _, pod := range all {
		if _, tried := c.scheduler.unschedulable[pod.UID]; tried && pod.Spec.NodeName == "" {
			waiting++
		}
	}
	var b strings.Builder
	b.WriteString("# TYPE scheduler_pending_pods gauge\n# TYPE scheduler_dra_bindingconditions_allocations_total counter\n")
	fmt.Fprintf(&b, "scheduler_pending_pods{queue=\"active\"} 0\nscheduler_pending_pods{queue=\"unschedulable\"} %d\n", waiting)
	for _, of := range slices.SortedFunc(maps.Keys(c.counters.bindings), func(a, b [2]string) int { return slices.Compare(a[:], b[:]) }) {
		fmt.Fprintf(&b, "scheduler_dra_bindingconditions_allocations_total{driver=%q,status=%q} %d\n", of[0], of[1], c.counters.bindings[of])
	}
	return b.String(), nil
}

func (c *Cluster) controllerMetrics() (string, error) {
	all, err := c.sharedClaims()
	if err != nil {
		return "", err
	}
	allocated := 0
	for _, claim := range all {
		if claim.Status.Allocation != nil {
			allocated++
		}
	}
	const types = "# TYPE dynamic_resource_allocation_resource_claims gauge\n# TYPE dynamic_resource_allocation_resourceclaim_creates_total counter\n"
	const claims = "dynamic_resource_allocation_resource_claims{allocated=\"%t\",admin_access=\"false\",source=\"\"} %d\n"
	return fmt.Sprintf(types+claims+claims+"dynamic_resource_allocation_resourceclaim_creates_total{status=\"success\",owner_api_kind=\"Pod\"} %d\n",
		true, allocated, false, len(all)-allocated, c.counters.madeClaims), nil
}
