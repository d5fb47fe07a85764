// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package plugin

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	resourceapi "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/publish"
	"github.com/draconform/draconform/fakedriver/topology"
	"github.com/draconform/draconform/internal/fault"
)

// content is the compiled form, for one node, of what a driver publishes and
// prepares.
type content struct {
	// inventory contains the devices that are published on the node, including
	// taints. Its Affinity field contains the declarations that slices carry.
	inventory *describe.Inventory
	// rules maps the name of a shared device to the rule that its claims must
	// satisfy. It includes rules that slices do not declare.
	rules map[string]affinity.Rule
	// topology contains devices that span nodes. The controller of the topology
	// publishes them, and the inventory is empty.
	topology *topology.Topology
	// assignByName selects how the hosts of the topology are found: by the
	// order of node names instead of by label.
	assignByName bool
}

// pool returns the name of the pool that contains the devices.
func (c *content) pool(node string) string {
	if c.topology != nil && !fault.ReportsHealthOfNode {
		return c.topology.Name()
	}
	return publish.PoolName(node)
}

// devices returns the names of all devices in the pool.
func (c *content) devices() []string {
	if c.topology != nil {
		return c.topology.Devices()
	}
	var names []string
	for _, device := range c.inventory.Devices {
		names = append(names, device.Name)
	}
	return names
}

// unwatched returns the names of the devices whose health the driver does not report: none,
// unless it has a fault.
func (c *content) unwatched() []string {
	if !fault.ReportsNoHealthOfShares {
		return nil
	}
	return c.inventory.Shared()
}

// compile returns the content for a node. It returns an error that wraps
// control.ErrInvalid if the request cannot be published.
func compile(config Config, published control.Published) (*content, error) {
	compiled, err := compileDevices(config, published)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", control.ErrInvalid, err)
	}
	return compiled, nil
}

func compileDevices(config Config, published control.Published) (*content, error) {
	devices := published.Devices
	switch {
	case !isKnown(published):
		return nil, errors.New("the devices are missing")
	case published.Defect != "" && !slices.Contains(control.Defects(), published.Defect):
		return nil, fmt.Errorf("defect %q is not known, use one of %v", published.Defect, control.Defects())
	case devices.Topology != "":
		return compileTopology(published)
	case devices.AssignHostsByName:
		return nil, errors.New("hosts are assigned by name without a topology that has hosts")
	}
	inventory, err := config.Inventory(config.NodeName, devices)
	if err == nil {
		inventory, err = config.renamed(inventory)
	}
	if err != nil {
		return nil, err
	}
	if err := taint(inventory, published.Taints); err != nil {
		return nil, err
	}
	// Additional limits of Kubernetes 1.34 are checked when the API server of
	// the cluster is probed.
	if err := publish.Check(inventory, publish.SeparateCounters); err != nil {
		return nil, fmt.Errorf("check inventory: %w", err)
	}
	rules, err := declare(inventory, published.Affinity)
	if err != nil {
		return nil, err
	}
	return &content{inventory: inventory, rules: rules}, nil
}

// compileTopology returns the content for devices that span nodes.
func compileTopology(published control.Published) (*content, error) {
	other := published.Devices // fields that must not be set together with a topology
	other.Topology, other.AssignHostsByName = "", false
	switch {
	case other != control.Devices{}:
		return nil, errors.New("devices are either those of a topology or those of the node")
	case len(published.Taints) > 0 || len(published.Affinity) > 0 || published.Defect != "":
		return nil, errors.New("the devices of a topology are published by its controller: they cannot have taints, affinity or a defect here")
	}
	resolved, err := topology.Resolve(published.Devices.Topology)
	if err != nil {
		return nil, err
	}
	return &content{inventory: &describe.Inventory{}, topology: resolved, assignByName: published.Devices.AssignHostsByName}, nil
}

func taint(inventory *describe.Inventory, taints map[string][]resourceapi.DeviceTaint) error {
	for _, name := range slices.Sorted(maps.Keys(taints)) {
		device := inventory.Device(name)
		if device == nil {
			return fmt.Errorf("there is no device %s to taint", name)
		}
		device.Taints = append(slices.Clone(device.Taints), taints[name]...)
	}
	return nil
}

// declare returns the affinity rules by device: the declarations of the devices
// themselves, overridden by the wanted rules. It sets the Affinity field of the
// inventory to the rules that slices declare.
func declare(inventory *describe.Inventory, wanted map[string]affinity.Rule) (map[string]affinity.Rule, error) {
	declared, rules := map[string]affinity.Declaration{}, map[string]affinity.Rule{}
	for name, declaration := range inventory.Affinity {
		rules[name] = affinity.Rule{Declaration: declaration, Declared: true}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		device := inventory.Device(name)
		if device == nil || !ptr.Deref(device.AllowMultipleAllocations, false) {
			return nil, fmt.Errorf("there is no shared device %s", name)
		}
		rules[name] = wanted[name]
		if wanted[name].IsEmpty() {
			continue
		}
		if err := wanted[name].Validate(); err != nil {
			return nil, fmt.Errorf("affinity of device %s: %w", name, err)
		}
	}
	for name, rule := range rules {
		if rule.Declared {
			declared[name] = rule.Declaration
		}
	}
	inventory.Affinity = declared
	return rules, nil
}

// setTimeAdded sets TimeAdded of taints that do not have it, as the API server does.
// The stored state then equals the published state, and a restart does not
// reset TimeAdded.
func setTimeAdded(published control.Published) control.Published {
	now := metav1.Now().Rfc3339Copy()
	taints := maps.Clone(published.Taints)
	for name := range taints {
		taints[name] = slices.Clone(taints[name])
		for i := range taints[name] {
			if taints[name][i].TimeAdded == nil {
				taints[name][i].TimeAdded = &now
			}
		}
	}
	published.Taints = taints
	return published
}
