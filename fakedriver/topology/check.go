// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"errors"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// maxChips is the size of a TPU v4 pod. The limit keeps a typing error in a
// description from exhausting memory.
const maxChips = 4096

// check validates a description.
func (d *description) check() error {
	if problems := validation.IsDNS1123Label(d.Name.value); len(problems) > 0 {
		return errorAt(d.Name.line, "name %q: %s", d.Name.value, strings.Join(problems, ", "))
	}
	switch {
	case d.Grid.size == nil:
		return errors.New("grid is missing")
	case len(d.Grid.size) > maxDimensions:
		return errorAt(d.Grid.line, "grid %s: has more than %d dimensions", d.Grid, maxDimensions)
	}
	// The loop checks the limit for each dimension because the product of very
	// large sizes overflows.
	chips := 1
	for _, size := range d.Grid.size {
		if size > maxChips/chips {
			return errorAt(d.Grid.line, "grid %s: has more than %d chips", d.Grid, maxChips)
		}
		chips *= size
	}
	if err := d.checkHosts(); err != nil {
		return err
	}
	return d.checkSlices()
}

func (d *description) checkHosts() error {
	block := d.Hosts.Chips
	if block.size == nil {
		return errors.New("hosts.chips is missing")
	}
	if err := d.sameDimensions("hosts.chips", block); err != nil {
		return err
	}
	for i, size := range block.size {
		if d.Grid.size[i]%size != 0 {
			return errorAt(block.line, "hosts.chips %s: does not divide grid %s", block, d.Grid)
		}
	}
	label := d.Hosts.Label
	if problems := validation.IsQualifiedName(label.value); len(problems) > 0 {
		return errorAt(label.line, "hosts.label %q: %s", label.value, strings.Join(problems, ", "))
	}
	hosts := d.hosts()
	if problems := validation.IsValidLabelValue(hosts[len(hosts)-1]); len(problems) > 0 {
		return errorAt(d.Hosts.Prefix.line, "hosts.prefix %q: %s", d.Hosts.Prefix.value, strings.Join(problems, ", "))
	}
	return nil
}

func (d *description) checkSlices() error {
	if len(d.Slices) == 0 {
		return errors.New("slices are missing")
	}
	seen := map[string]bool{}
	for i, s := range d.Slices {
		if s.Shape.size == nil {
			return errorAt(s.Step.line, "slices[%d].shape is missing", i)
		}
		shape := s.Shape.String()
		if err := d.sameDimensions("shape", s.Shape); err != nil {
			return err
		}
		switch {
		case seen[shape]:
			return errorAt(s.Shape.line, "shape %s: listed twice", shape)
		case !d.Grid.contains(make([]int, len(d.Grid.size)), s.Shape):
			return errorAt(s.Shape.line, "shape %s: does not fit into grid %s", shape, d.Grid)
		case s.Step.size != nil && s.Origins != nil:
			return errorAt(s.Step.line, "shape %s: has both step and origins", shape)
		case s.Origins != nil && len(s.Origins) == 0:
			return errorAt(s.Shape.line, "shape %s: has an empty list of origins", shape)
		}
		seen[shape] = true
		if s.Step.size != nil {
			if err := d.sameDimensions("step", s.Step); err != nil {
				return err
			}
		}
		if err := d.checkOrigins(s.Shape, s.Origins); err != nil {
			return err
		}
	}
	return nil
}

func (d *description) checkOrigins(shape extent, origins []position) error {
	seen := map[string]bool{}
	for _, origin := range origins {
		name := join(origin.at, ",")
		switch {
		case len(origin.at) != len(d.Grid.size):
			return errorAt(origin.line, "origin [%s]: grid %s has %d dimensions", name, d.Grid, len(d.Grid.size))
		case !d.Grid.contains(origin.at, shape):
			return errorAt(origin.line, "origin [%s]: shape %s does not fit there into grid %s", name, shape, d.Grid)
		case seen[name]:
			return errorAt(origin.line, "origin [%s]: listed twice", name)
		}
		seen[name] = true
	}
	return nil
}

func (d *description) sameDimensions(field string, e extent) error {
	if len(e.size) != len(d.Grid.size) {
		return errorAt(e.line, "%s %s: grid %s has %d dimensions", field, e, d.Grid, len(d.Grid.size))
	}
	return nil
}

// hosts returns the label value of each host's node.
func (d *description) hosts() []string {
	hosts := make([]string, d.Grid.divided(d.Hosts.Chips).volume())
	for i := range hosts {
		hosts[i] = d.Hosts.Prefix.value + strconv.Itoa(i)
	}
	return hosts
}
