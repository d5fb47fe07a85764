// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

// Package model contains the devices that the fake drivers publish on a node,
// as descriptions in the format of package describe: GPUs with their
// partitions, and network cards that are shared.
package model

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/describe"
)

//go:embed models/*.yaml
var models embed.FS

// Model is a device model and its partitions, see KEP-4815, "Dynamic allocation
// of Multi-Instance GPUs".
type Model struct {
	// kind is the type of the entire device, TypeGPU or TypeNIC.
	kind string
	// described is the first device of a node with its partitions, without the
	// attributes that distinguish devices. All names begin with that of the
	// device, "<kind>-0".
	described *describe.Inventory
}

// Load returns the model with the given name. The error for an unknown name
// lists the known names.
func Load(name string) (*Model, error) {
	data, err := models.ReadFile(path.Join("models", name+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("unknown model %q, use one of %s", name, strings.Join(Names(), ", "))
	}
	model, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	return model, nil
}

// Names returns the names that Load accepts, sorted.
func Names() []string {
	entries, err := models.ReadDir("models")
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

// parse compiles the description of a model and checks the names and types that
// Inventory relies on.
func parse(data []byte) (*Model, error) {
	described, err := describe.Compile(data)
	if err != nil {
		return nil, err
	}
	model := &Model{described: described}
	for _, kind := range []string{TypeGPU, TypeNIC} {
		if described.Device(nth(kind, 0)) != nil {
			model.kind = kind
			break
		}
	}
	if model.kind == "" || len(described.CounterSets) > 1 {
		return nil, fmt.Errorf("must describe one device, %s or %s, and its parts", nth(TypeGPU, 0), nth(TypeNIC, 0))
	}
	for _, device := range described.Devices {
		if err := model.check(device); err != nil {
			return nil, fmt.Errorf("device %q: %w", device.Name, err)
		}
	}
	return model, nil
}

func (m *Model) check(device resourceapi.Device) error {
	first, kind := nth(m.kind, 0), text(device, AttributeType)
	switch _, known := uuidPrefixes[kind]; {
	case !known:
		return fmt.Errorf("attribute %q must be %q, %q or %q, not %q", AttributeType, TypeGPU, TypeMIG, TypeNIC, kind)
	case device.Name == first && kind != m.kind:
		return fmt.Errorf("attribute %q must be %q, not %q", AttributeType, m.kind, kind)
	case device.Name == first:
		return nil
	case !strings.HasPrefix(device.Name, first+"-"):
		return fmt.Errorf("its name must begin with %q", first+"-")
	case len(device.ConsumesCounters) == 0:
		return fmt.Errorf("is not a part of %s", first)
	default:
		return nil
	}
}

// text returns the value of a string attribute, "" for all other attributes.
func text(device resourceapi.Device, name resourceapi.QualifiedName) string {
	if value := device.Attributes[name].StringValue; value != nil {
		return *value
	}
	return ""
}
