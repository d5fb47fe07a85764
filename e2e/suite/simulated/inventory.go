package simulated

import (
	"fmt"

	"github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/fakedriver/topology"
)

// Types for the devices of simulated nodes. The fake drivers use the same
// types.
type (
	// Inventory has the devices and the counter sets of a pool.
	Inventory = describe.Inventory
	// AffinityDeclaration lists the keys of affinity values that a device
	// declares (KEP-5981).
	AffinityDeclaration = affinity.Declaration
	// Topology has the devices of a multi-host driver.
	Topology = topology.Topology
	// Hosts assigns the hosts of a topology to nodes.
	Hosts = topology.Nodes
)

// Attributes of the devices that [GPUs] and [LoadTopology] return. They have no
// domain.
const (
	AttributeParentUUID = model.AttributeParentUUID
	AttributeProfile    = model.AttributeProfile
	AttributePlacement  = model.AttributePlacement
	AttributeShape      = topology.AttributeShape
	AttributeOrigin     = topology.AttributeOrigin
)

// Compile compiles a description of devices in YAML.
func Compile(description []byte) (*Inventory, error) { return describe.Compile(description) }

// GPUs returns GPUs of a model on a node with all of their partitions. It
// panics if the model is not known.
func GPUs(name, node string, count int) *Inventory {
	gpu, err := model.Load(name)
	if err != nil {
		panic(fmt.Sprintf("load the GPU model %s: %v", name, err))
	}
	return gpu.Inventory(node, count)
}

// LoadTopology returns a topology of the multi-host driver by its name.
func LoadTopology(name string) (*Topology, error) { return topology.Load(name) }
