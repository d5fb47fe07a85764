// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/yaml"
)

// testdata/compile contains descriptions and the inventories that they compile
// into. To update it: go test ./fakedriver/describe -rewrite
func TestCompile(t *testing.T) {
	datadriven.Walk(t, "testdata/compile", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "compile" {
				d.Fatalf(t, "unknown command")
			}
			inventory, err := Compile([]byte(d.Input))
			if err != nil {
				return fmt.Sprintf("error: %v\n", err)
			}
			if err := inventory.Validate(); err != nil {
				t.Fatalf("%s: compiled into an invalid inventory: %v", d.Pos, err)
			}
			return draw(inventory)
		})
	})
}

// draw formats an inventory as text.
func draw(inventory *Inventory) string {
	var out strings.Builder
	for _, set := range inventory.CounterSets {
		fmt.Fprintf(&out, "%s: %s\n", set.Name, drawCounters(set.Counters))
	}
	for _, device := range inventory.Devices {
		fmt.Fprintf(&out, "%s\n", device.Name)
		if device.AllowMultipleAllocations != nil {
			fmt.Fprintf(&out, "  allowMultipleAllocations: %t\n", *device.AllowMultipleAllocations)
		}
		if declared, ok := inventory.Affinity[device.Name]; ok {
			fmt.Fprintf(&out, "  sharingAffinity: %s\n", strings.Join(declared.AttributeKeys, " "))
		}
		for _, name := range slices.Sorted(maps.Keys(device.Attributes)) {
			fmt.Fprintf(&out, "  attribute %s: %s\n", name, drawAttribute(device.Attributes[name]))
		}
		for _, name := range slices.Sorted(maps.Keys(device.Capacity)) {
			fmt.Fprintf(&out, "  capacity %s: %s\n", name, drawCapacity(device.Capacity[name]))
		}
		for _, consumption := range device.ConsumesCounters {
			fmt.Fprintf(&out, "  consumes %s: %s\n", consumption.CounterSet, drawCounters(consumption.Counters))
		}
	}
	return out.String()
}

func drawCounters(counters map[string]resourceapi.Counter) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(counters)) {
		value := counters[name].Value
		out = append(out, name+"="+value.String())
	}
	return strings.Join(out, " ")
}

func drawAttribute(value resourceapi.DeviceAttribute) string {
	switch {
	case value.StringValue != nil:
		return fmt.Sprintf("%q", *value.StringValue)
	case value.VersionValue != nil:
		return "version " + *value.VersionValue
	case value.IntValue != nil:
		return fmt.Sprint(*value.IntValue)
	default:
		return fmt.Sprint(*value.BoolValue)
	}
}

func drawCapacity(capacity resourceapi.DeviceCapacity) string {
	if capacity.RequestPolicy == nil {
		return capacity.Value.String()
	}
	policy, err := yaml.Marshal(capacity.RequestPolicy)
	if err != nil {
		return err.Error()
	}
	return capacity.Value.String() + ", " + strings.Join(strings.Fields(string(policy)), " ")
}
