// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/draconform/draconform/fakedriver/control"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/model"
	"github.com/draconform/draconform/fakedriver/topology"
)

// Names under which the suite installs drivers.
const (
	defaultDriver    = "mig.draconform.dev"
	topologiesDriver = "tpu.draconform.dev"
)

// deviceFlags are the flags that select the devices: those of a node, from a
// model or a description, or those of a topology.
type deviceFlags struct {
	file     string
	model    string
	count    int
	topology string
}

func (f *deviceFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&f.file, "file", "f", "", "description of the devices of a node, instead of a model")
	flags.StringVar(&f.model, "model", "a100-40gb", "model of the devices of a node, one of "+strings.Join(model.Names(), ", "))
	flags.IntVar(&f.count, "count", 1, "number of devices of the model that a node has")
	for _, other := range []string{"model", "count"} {
		cmd.MarkFlagsMutuallyExclusive("file", other)
	}
	complete(cmd, "model", cobra.ShellCompDirectiveNoFileComp, model.Names())
	addTopologyFlag(cmd, &f.topology, "")
	for _, other := range []string{"file", "model", "count"} {
		cmd.MarkFlagsMutuallyExclusive("topology", other)
	}
}

// addTopologyFlag adds a flag whose value loadTopology reads.
func addTopologyFlag(cmd *cobra.Command, into *string, preset string) {
	cmd.Flags().StringVar(into, "topology", preset, "topology of devices that span nodes: "+strings.Join(topology.Names(), ", ")+", or a file that ends in "+describedTopology)
	complete(cmd, "topology", cobra.ShellCompDirectiveDefault, topology.Names())
}

// complete registers shell completion values for a flag. The directive controls
// whether files are completed as well.
func complete(cmd *cobra.Command, flag string, directive cobra.ShellCompDirective, values []string) {
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, directive)); err != nil {
		panic(err) // Registration fails only if the flag does not exist.
	}
}

// driverName returns the given name, or the default name if it is empty.
func (f *deviceFlags) driverName(given string) string {
	switch {
	case given != "":
		return given
	case f.topology != "":
		return topologiesDriver
	default:
		return defaultDriver
	}
}

// devices returns the selected devices in the form of the control endpoint. It
// includes the content of files, because the receiver may run on another
// machine.
func (f *deviceFlags) devices() (control.Devices, error) {
	switch {
	case f.topology != "":
		text, err := readTopology(f.topology)
		return control.Devices{Topology: text}, err
	case f.file != "":
		description, err := os.ReadFile(f.file)
		if err != nil {
			return control.Devices{}, fmt.Errorf("read description: %w", err)
		}
		return control.Devices{Description: string(description)}, nil
	case f.count < 1:
		return control.Devices{}, fmt.Errorf("--count must be at least 1, not %d", f.count)
	default:
		return control.Devices{Model: f.model, Count: f.count}, nil
	}
}

// inventory compiles the inventory of a node.
func (f *deviceFlags) inventory(node string) (*describe.Inventory, error) {
	devices, err := f.devices()
	if err != nil {
		return nil, err
	}
	inventory, err := inventoryOf(node, devices)
	if err != nil && f.file != "" {
		return nil, fmt.Errorf("%s: %w", f.file, err)
	}
	return inventory, err
}

// inventoryOf compiles the inventory of a node from flags or from a request to
// the control endpoint.
func inventoryOf(node string, devices control.Devices) (*describe.Inventory, error) {
	switch {
	case devices.Description == "":
	case devices.Model != "" || devices.Count != 0:
		return nil, errors.New("devices are either a description or a number of devices of a model")
	default:
		return describe.Compile([]byte(devices.Description))
	}
	if devices.Count < 1 {
		return nil, fmt.Errorf("the number of devices must be at least 1, not %d", devices.Count)
	}
	loaded, err := model.Load(devices.Model)
	if err != nil {
		return nil, err
	}
	return loaded.Inventory(node, devices.Count), nil
}

// describedTopology is the extension of files that describe a topology.
const describedTopology = ".yaml"

// readTopology returns the content of a topology file. Other names are returned
// unchanged.
func readTopology(name string) (string, error) {
	if filepath.Ext(name) != describedTopology {
		return name, nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("read topology: %w", err)
	}
	return string(data), nil
}

func loadTopology(name string) (*topology.Topology, error) {
	if filepath.Ext(name) != describedTopology {
		return topology.Load(name)
	}
	described, err := readTopology(name)
	if err != nil {
		return nil, err
	}
	loaded, err := topology.Parse([]byte(described))
	if err != nil {
		return nil, fmt.Errorf("topology %s: %w", name, err)
	}
	return loaded, nil
}
