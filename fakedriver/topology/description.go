// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package topology compiles descriptions of TPU topologies into pools of
// devices that span hosts.
//
// A description is YAML:
//
//	name: 4x8                        # name of the pool, a DNS label
//	grid: 4x8                        # rows and columns of TPU chips, one to three dimensions
//	hosts:
//	  chips: 2x2                     # chips of a host; hosts are counted from 0, row by row
//	  label: draconform.dev/tpu-host # node label with the number of the host as its value
//	  prefix: ""                     # prefix of the number
//	slices:                          # slices that can be allocated, in any order
//	- shape: 2x2                     # at each multiple of its size
//	- shape: 2x4
//	  step: 1x2                      # at each multiple of the step instead: slices may overlap
//	- shape: 4x4
//	  origins: [[0, 0], [0, 4]]      # exactly there: row and column of the first chip
package topology

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/validation"
)

//go:embed topologies/*.yaml
var topologies embed.FS

// Topology is a grid of TPU chips, the hosts that own them, and the slices of
// the grid that can be allocated.
type Topology struct {
	name      string
	grid      extent
	perHost   extent // the chips of a host
	hostLabel string
	hosts     []string // values of the label
	slices    []slice  // smallest first
	counters  counters
}

// Load returns the embedded topology with the given name. The error for an
// unknown name lists the known names.
func Load(name string) (*Topology, error) {
	data, err := topologies.ReadFile(path.Join("topologies", name+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("unknown topology %q, use one of %s", name, strings.Join(Names(), ", "))
	}
	topology, err := Parse(data)
	if err != nil {
		return nil, fmt.Errorf("topology %s: %w", name, err)
	}
	return topology, nil
}

// Resolve returns the topology that a text names or describes. A DNS label is a
// name, see [Load]. Any other text is a YAML description, see [Parse].
func Resolve(text string) (*Topology, error) {
	if len(validation.IsDNS1123Label(text)) == 0 {
		return Load(text)
	}
	topology, err := Parse([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("described topology: %w", err)
	}
	return topology, nil
}

// Names returns the names that Load accepts, sorted.
func Names() []string {
	entries, err := topologies.ReadDir("topologies")
	if err != nil {
		panic(err) // The folder is embedded in the binary.
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	slices.Sort(names) // The order of the files differs because of the suffix ".yaml".
	return names
}

// Parse compiles a description. Errors name the line in the description if it
// is known.
func Parse(data []byte) (*Topology, error) {
	var d description
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&d); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	if err := decoder.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.New("decode: there is more than one YAML document")
	}
	if err := d.check(); err != nil {
		return nil, err
	}
	topology := &Topology{
		name:      d.Name.value,
		grid:      d.Grid,
		perHost:   d.Hosts.Chips,
		hostLabel: d.Hosts.Label.value,
		hosts:     d.hosts(),
		slices:    d.allSlices(),
	}
	var err error
	if topology.counters, err = countersFor(d.Grid, topology.slices); err != nil {
		return nil, err
	}
	return topology, nil
}

// Name returns the name of the topology. It is a DNS label.
func (t *Topology) Name() string { return t.name }

// description is the YAML form of a topology.
type description struct {
	Name  text   `yaml:"name"`
	Grid  extent `yaml:"grid"`
	Hosts struct {
		Chips  extent `yaml:"chips"`
		Label  text   `yaml:"label"`
		Prefix text   `yaml:"prefix"`
	} `yaml:"hosts"`
	Slices []struct {
		Shape   extent     `yaml:"shape"`
		Step    extent     `yaml:"step"`
		Origins []position `yaml:"origins"`
	} `yaml:"slices"`
}

// text is a string with its line in the description.
type text struct {
	value string
	line  int
}

// UnmarshalYAML implements [yaml.Unmarshaler].
func (t *text) UnmarshalYAML(node *yaml.Node) error {
	t.line = node.Line
	return node.Decode(&t.value)
}

// errorAt adds the line of a description to an error, unless the line is 0.
func errorAt(line int, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	if line == 0 {
		return err
	}
	return fmt.Errorf("line %d: %w", line, err)
}
