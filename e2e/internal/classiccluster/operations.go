// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package classiccluster

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/draconform/draconform/e2e/suite/operations"
)

// Access is access to the driver under test, and to the scheduler.
type Access struct{ c *Cluster }

var (
	_ operations.ClassicDriver = Access{}
	_ operations.ControlPlane  = Access{}

	_ operations.ClassicControllers = Access{}
	_ operations.ClassicProcess     = process{}
)

var errNoLeader = errors.New("no process works")

// Name implements [operations.ClassicDriver].
func (Access) Name() string { return driverName }

// DevicesPerNode implements [operations.ClassicDriver].
func (Access) DevicesPerNode() int { return devicesPerNode }

// Seen implements [operations.ClassicDriver].
func (Access) Seen(variables map[string]string) (devices []string, err error) {
	for name, value := range variables {
		if strings.HasPrefix(name, variablePrefix) {
			devices = append(devices, value)
		}
	}
	return devices, nil
}

// Scale implements [operations.ClassicDriver].
func (c Access) Scale(_ context.Context, instances int) error {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	d := c.c.installed
	if instances > d.instances {
		c.begin(d, instances)
	}
	d.instances = instances
	return nil
}

// ChangeRelease implements [operations.ClassicDriver]. Its driver serves all releases.
func (c Access) ChangeRelease(ctx context.Context, _ string) error { return c.Scale(ctx, 1) }

// begin starts instances of a driver in addition to those that run.
func (c Access) begin(d *driver, instances int) {
	if d.instances == 0 {
		if c.c.mistakes.Driver.Forgets {
			clear(d.held)
		}
		d.process++
		if c.c.mistakes.Driver.LooksAhead {
			for _, path := range append(c.c.all("resourceclaims"), c.c.all("podschedulingcontexts")...) {
				d.absent[path] = true
			}
		}
	}
	if instances > 1 && c.c.mistakes.Driver.Splits {
		d.hideAll()
	}
}

// hideAll makes the next process not know which devices are in use.
func (d *driver) hideAll() {
	for device := range d.held {
		d.hidden[device] = true
	}
}

// Leader implements [operations.ClassicDriver].
func (c Access) Leader(context.Context) (string, error) {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	c.c.advance()
	if c.c.installed.instances == 0 || c.c.installed.process < 0 {
		return "", errNoLeader
	}
	return fmt.Sprintf("process-%d", c.c.installed.process), nil
}

// Kill implements [operations.ClassicDriver].
func (c Access) Kill(context.Context) error {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	d, m := c.c.installed, c.c.mistakes.Driver
	d.process++
	d.hung, d.faults, d.calls = false, nil, nil
	if m.StandsBy && d.instances > 1 {
		d.process = -1
	}
	if m.Splits && d.instances > 1 {
		d.hideAll()
	}
	if m.Leaks {
		c.leak()
	}
	for _, path := range c.c.all("resourceclaims") {
		if m.LeavesHalf && at(c.c.objects[path], "metadata")["deletionTimestamp"] != nil {
			d.absent[path] = true
		}
	}
	return nil
}

// leak makes the driver not know which claims without an allocation hold devices.
func (c Access) leak() {
	used := map[string]bool{}
	for _, path := range c.c.all("resourceclaims") {
		used[poolOf(at(c.c.objects[path], "status", "allocation"))] = true
	}
	for device := range c.c.installed.held {
		if !used[device] {
			c.c.installed.held[device] = unknown
		}
	}
}

// Inject implements [operations.ClassicDriver].
func (c Access) Inject(_ context.Context, fault operations.Fault) error {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	c.c.installed.faults = append(c.c.installed.faults, fault)
	return nil
}

// Release implements [operations.ClassicDriver].
func (c Access) Release(context.Context) error {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	c.c.installed.faults, c.c.installed.hung = nil, false
	return nil
}

// Calls implements [operations.ClassicDriver].
func (c Access) Calls(context.Context) ([]operations.Call, error) {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	c.c.advance()
	return append([]operations.Call(nil), c.c.installed.calls...), nil
}

// Start implements [operations.ClassicControllers]. The driver replaces any other one that
// was started. Of several controllers of a driver, one works.
func (c Access) Start(_ context.Context, of operations.ClassicController) (operations.ClassicProcess, error) {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	d := c.c.started
	if d == nil || d.name != of.Driver {
		d = newDriver(of.Driver, of.DevicesPerNode)
		d.instances = 0
		c.c.started = d
	}
	d.nodes = object{}
	for label, value := range of.Nodes {
		d.nodes[label] = value
	}
	d.network, d.limit = of.NetworkDevices, of.Limit
	c.begin(d, d.instances+1)
	d.instances++
	return process(c), nil
}

// Parameters implements [operations.ClassicControllers].
func (Access) Parameters(nodes ...string) map[string]string {
	return map[string]string{"nodes": strings.Join(nodes, ",")}
}

// Opaque implements [operations.ClassicControllers].
func (Access) Opaque(nodes ...string) map[string]any { return map[string]any{"nodes": nodes} }

// Log implements [operations.ClassicControllers].
func (c Access) Log(driver string) ([]byte, error) {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	return fmt.Appendf(nil, "%d calls of driver %s\n", len(c.c.started.calls), driver), nil
}

// process is the controller that [Access.Start] has started.
type process struct{ c *Cluster }

// Kill implements [operations.ClassicProcess].
func (p process) Kill() error {
	p.c.mu.Lock()
	defer p.c.mu.Unlock()
	d := p.c.started
	if d.instances--; d.instances > 0 && p.c.mistakes.Driver.StandsBy {
		d.process = -1
	}
	return nil
}

// RestartScheduler implements [operations.ControlPlane].
func (c Access) RestartScheduler(context.Context) error {
	c.c.mu.Lock()
	defer c.c.mu.Unlock()
	if !c.c.mistakes.Scheduler.LosesWaiting {
		return nil
	}
	for _, path := range c.c.all("pods") {
		c.c.lost[path] = c.c.objects[c.c.contextPath(c.c.objects[path])] != nil
	}
	return nil
}
