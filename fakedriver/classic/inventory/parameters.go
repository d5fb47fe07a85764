// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package inventory

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Parameters are the opaque parameters of a claim and of its classes. Those of the
// claim are added to those of its classes. Fields for containers are left to a node
// plugin, which finds the parameters in the allocation.
type Parameters struct {
	// Nodes are the only nodes that the claim may be allocated for. Default: all.
	Nodes []string `json:"nodes,omitempty"`
	// Optional allocates the claim without devices if there are not enough.
	Optional bool `json:"optional,omitempty"`
}

// Add adds the parameters in a JSON object.
func (p *Parameters) Add(object []byte) error {
	var added Parameters
	if err := json.Unmarshal(object, &added); err != nil {
		return err
	}
	p.Merge(added)
	return nil
}

// Merge adds other parameters.
func (p *Parameters) Merge(added Parameters) {
	if added.Nodes != nil {
		p.Nodes = added.Nodes
	}
	p.Optional = p.Optional || added.Optional
}

// Allows returns an error if the parameters exclude a node.
func (p Parameters) Allows(node string) error {
	if p.Nodes == nil || slices.Contains(p.Nodes, node) {
		return nil
	}
	return fmt.Errorf("the parameters exclude node %q: they allow %v", node, p.Nodes)
}
