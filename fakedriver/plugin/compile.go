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
)

// content is what a driver publishes and prepares, compiled for its node.
type content struct {
	// inventory is what is published on the node, with taints. Its affinity is
	// what slices declare.
	inventory *describe.Inventory
	// rules are what claims that share a device must agree on, by its name,
	// whether slices declare it or not.
	rules map[string]affinity.Rule
	// topology has devices that span nodes. They are published by the topology's
	// controller, and the inventory is empty.
	topology *topology.Topology
	// assignByName says how the topology's hosts are found.
	assignByName bool
}

// pool returns the name of the pool that the devices are in.
func (c *content) pool(node string) string {
	if c.topology != nil {
		return c.topology.Name()
	}
	return node
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

// compile returns what a node has, if it can be published. Its errors say that a
// request makes no sense.
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
		return nil, fmt.Errorf("defect %q is not known, there is: %v", published.Defect, control.Defects())
	case devices.Topology != "":
		return compileTopology(published)
	case devices.AssignHostsByName:
		return nil, errors.New("hosts are assigned by name without a topology that has hosts")
	}
	inventory, err := config.Inventory(config.NodeName, devices)
	if err != nil {
		return nil, err
	}
	if err := taint(inventory, published.Taints); err != nil {
		return nil, err
	}
	// What Kubernetes 1.34 cannot hold in addition is found out when it is asked.
	if err := publish.Check(inventory, publish.SeparateCounters); err != nil {
		return nil, fmt.Errorf("check inventory: %w", err)
	}
	rules, err := declare(inventory, published.Affinity)
	if err != nil {
		return nil, err
	}
	return &content{inventory: inventory, rules: rules}, nil
}

// compileTopology compiles devices that span nodes.
func compileTopology(published control.Published) (*content, error) {
	other := published.Devices // what must not be set beside a topology
	other.Topology, other.AssignHostsByName = "", false
	switch {
	case other != control.Devices{}:
		return nil, errors.New("devices are either those of a topology or of the node alone")
	case len(published.Taints) > 0 || len(published.Affinity) > 0 || published.Defect != "":
		return nil, errors.New("the devices of a topology are published by its controller: they get no taints, affinity or defect here")
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

// declare returns what claims must agree on: what the devices themselves demand,
// except for those for which something else was asked for. The inventory keeps
// what slices declare.
func declare(inventory *describe.Inventory, wanted map[string]affinity.Rule) (map[string]affinity.Rule, error) {
	declared, rules := map[string]affinity.Declaration{}, map[string]affinity.Rule{}
	for name, declaration := range inventory.Affinity {
		rules[name] = affinity.Rule{Declaration: declaration, Declared: true}
	}
	for _, name := range slices.Sorted(maps.Keys(wanted)) {
		device := inventory.Device(name)
		if device == nil || !ptr.Deref(device.AllowMultipleAllocations, false) {
			return nil, fmt.Errorf("there is no device %s that claims could share", name)
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

// stamp adds when taints were added, as the API server would. It then has what
// is published, and a restart does not make a taint younger.
func stamp(published control.Published) control.Published {
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
