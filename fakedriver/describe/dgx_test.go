// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
)

// testdata/dgx-a100.yaml is the unmodified example of a DGX A100 in KEP-4815's
// first draft. The expected devices below are derived from the draft's table of
// profiles and its diagram of placements. The memory sizes are those of the
// example, because they differ from the table.
var (
	dgxColumns = []string{"multiprocessors", "copy-engines", "decoders", "encoders", "jpeg-engines", "ofa-engines"}
	dgxTable   = map[string][]string{
		"7g.40gb":   {"98", "7", "5", "0", "1", "1"},
		"4g.20gb":   {"56", "4", "2", "0", "0", "0"},
		"3g.20gb":   {"42", "3", "2", "0", "0", "0"},
		"2g.10gb":   {"28", "2", "1", "0", "0", "0"},
		"1g.10gb":   {"14", "1", "1", "0", "0", "0"},
		"1g.5gb+me": {"14", "1", "1", "0", "1", "1"},
		"1g.5gb":    {"14", "1", "0", "0", "0", "0"},
	}
	dgxMemory = map[string]string{
		"7g.40gb": "40320Mi", "4g.20gb": "20096Mi", "3g.20gb": "20096Mi", "2g.10gb": "9984Mi",
		"1g.10gb": "9984Mi", "1g.5gb+me": "4864Mi", "1g.5gb": "4864Mi",
	}
	// dgxDiagram has one character per memory slice: a P where a partition may
	// start, a dot where it continues, and an X where no partition may start.
	dgxDiagram = map[string]string{
		"7g.40gb":   "P.......",
		"4g.20gb":   "P...XXXX",
		"3g.20gb":   "P...P...",
		"2g.10gb":   "P.P.P.XX",
		"1g.10gb":   "P.P.P.P.",
		"1g.5gb+me": "PPPPPPPX",
		"1g.5gb":    "PPPPPPPX",
	}
	dgxUUIDs = []string{"GPU-4cf8db2d-06c0-7d70-1a51-e59b25b2c16c", "GPU-4404041a-04cf-1ccf-9e70-f139a9b1e23c"}
)

// dgxDevice is a device according to the table and the diagram.
type dgxDevice struct {
	attributes map[resourceapi.QualifiedName]resourceapi.DeviceAttribute
	counters   map[string]string
}

func dgxDevices() map[string]dgxDevice {
	devices := map[string]dgxDevice{}
	for gpu, uuid := range dgxUUIDs {
		index := resourceapi.DeviceAttribute{IntValue: ptr.To(int64(gpu))}
		id := resourceapi.DeviceAttribute{StringValue: &uuid}
		whole := dgxDevice{dgxAttributes("gpu"), dgxCounters(dgxTable["7g.40gb"], "40Gi", 0, 8)}
		whole.attributes["index"], whole.attributes["minor"], whole.attributes["uuid"] = index, index, id
		devices[fmt.Sprintf("gpu-%d", gpu)] = whole
		for profile, row := range dgxTable {
			for _, place := range places(dgxDiagram[profile]) {
				part := dgxDevice{dgxAttributes("mig"), dgxCounters(row, dgxMemory[profile], place[0], place[1])}
				part.attributes["parentIndex"], part.attributes["parentMinor"], part.attributes["parentUUID"] = index, index, id
				part.attributes["profile"] = resourceapi.DeviceAttribute{StringValue: &profile}
				name := fmt.Sprintf("gpu-%d-mig-%s-%d", gpu, strings.NewReplacer(".", "-", "+", "-").Replace(profile), place[0])
				if place[1]-place[0] > 1 {
					name += fmt.Sprintf("-%d", place[1]-1)
				}
				devices[name] = part
			}
		}
	}
	return devices
}

// places returns the first memory slice of each placement, and the slice after
// its last one.
func places(row string) [][2]int {
	var out [][2]int
	for start := range row {
		if row[start] == 'P' {
			end := start + 1
			for end < len(row) && row[end] == '.' {
				end++
			}
			out = append(out, [2]int{start, end})
		}
	}
	return out
}

func dgxAttributes(kind string) map[resourceapi.QualifiedName]resourceapi.DeviceAttribute {
	text := func(s string) resourceapi.DeviceAttribute { return resourceapi.DeviceAttribute{StringValue: &s} }
	return map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{
		"type": text(kind), "architecture": text("Ampere"), "brand": text("Nvidia"),
		"productName": text("NVIDIA A100-SXM4-40GB"), "cudaComputeCapability": text("8.0"),
		"cudaDriverVersion": {VersionValue: ptr.To("12.6.0")},
		"driverVersion":     {VersionValue: ptr.To("560.35.3")},
	}
}

func dgxCounters(row []string, memory string, first, end int) map[string]string {
	counters := map[string]string{"memory": memory}
	for i, column := range dgxColumns {
		counters[column] = row[i]
	}
	for slice := first; slice < end; slice++ {
		counters[fmt.Sprintf("memory-slice-%d", slice)] = "1"
	}
	return counters
}

func TestDGXA100(t *testing.T) {
	g := NewWithT(t)
	inventory := compileFile(t, "testdata/dgx-a100.yaml")
	g.Expect(inventory.Validate()).To(Succeed())

	want := dgxDevices()
	g.Expect(want).To(HaveLen(52))
	g.Expect(inventory.Devices).To(HaveLen(52))
	for _, device := range inventory.Devices {
		g.Expect(want).To(HaveKey(device.Name))
		expected := want[device.Name]
		delete(want, device.Name)
		g.Expect(device.Attributes).To(Equal(expected.attributes), device.Name)
		g.Expect(device.ConsumesCounters).To(HaveLen(1))
		g.Expect(device.ConsumesCounters[0].CounterSet).To(Equal(device.Name[:len("gpu-0")]+"-counter-set"), device.Name)
		g.Expect(amounts(device.ConsumesCounters[0].Counters)).To(Equal(expected.counters), device.Name)
		g.Expect(device.Capacity).To(HaveLen(len(expected.counters)), device.Name)
		for counter, amount := range expected.counters {
			capacity := device.Capacity[camelCase(counter)]
			g.Expect(capacity.Value.String()).To(Equal(amount), "%s of %s", counter, device.Name)
		}
	}
	g.Expect(inventory.CounterSets).To(HaveLen(2))
	for gpu, set := range inventory.CounterSets {
		g.Expect(set.Name).To(Equal(fmt.Sprintf("gpu-%d-counter-set", gpu)))
		g.Expect(amounts(set.Counters)).To(Equal(dgxCounters(dgxTable["7g.40gb"], "40Gi", 0, 8)))
	}
}

// The example lists the whole GPU first. A scheduler would allocate it to a
// claim that only requests a partition.
func TestDGXA100ListsTheSmallestFirst(t *testing.T) {
	g := NewWithT(t)
	var profiles []string
	for _, device := range compileFile(t, "testdata/dgx-a100.yaml").Devices {
		profiles = append(profiles, ptr.Deref(device.Attributes["profile"].StringValue, "whole"))
	}
	g.Expect(slices.Compact(profiles)).To(Equal([]string{
		"1g.5gb", "1g.10gb", "1g.5gb+me", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb", "whole",
	}))
}

// This is the draft's first small example: four GPUs without partitions.
func TestFourGPUs(t *testing.T) {
	g := NewWithT(t)
	inventory := compileFile(t, "testdata/four-gpus.yaml")
	g.Expect(inventory.CounterSets).To(BeEmpty())
	g.Expect(inventory.Devices).To(HaveLen(4))
	for i, device := range inventory.Devices {
		g.Expect(device.Name).To(Equal(fmt.Sprintf("gpu-%d", i)))
		g.Expect(device.ConsumesCounters).To(BeEmpty())
		g.Expect(slices.Sorted(maps.Keys(device.Attributes))).To(Equal([]resourceapi.QualifiedName{
			"architecture", "brand", "cudaComputeCapability", "cudaDriverVersion", "driverVersion",
			"index", "minor", "productName", "type", "uuid",
		}))
		g.Expect(*device.Attributes["cudaComputeCapability"].VersionValue).To(Equal("8.0.0"))
		g.Expect(*device.Attributes["minor"].IntValue).To(BeEquivalentTo(i))
		memory := device.Capacity["memory"]
		g.Expect(memory.Value.String()).To(Equal("40Gi"))
	}
}

// This is the draft's second small example: a GPU with four partitions.
func TestFourPartitions(t *testing.T) {
	inventory := compileFile(t, "testdata/four-partitions.yaml")
	NewWithT(t).Expect(draw(inventory)).To(Equal(`gpu-0-counter-set: memory=40Gi
gpu-0-partition-0
  capacity memory: 10Gi
  consumes gpu-0-counter-set: memory=10Gi
gpu-0-partition-1
  capacity memory: 10Gi
  consumes gpu-0-counter-set: memory=10Gi
gpu-0-partition-2
  capacity memory: 10Gi
  consumes gpu-0-counter-set: memory=10Gi
gpu-0-partition-3
  capacity memory: 10Gi
  consumes gpu-0-counter-set: memory=10Gi
gpu-0
  capacity memory: 40Gi
  consumes gpu-0-counter-set: memory=40Gi
`))
}

func compileFile(t *testing.T, path string) *Inventory {
	t.Helper()
	description, err := os.ReadFile(path)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	inventory, err := Compile(description)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return inventory
}

func amounts(counters map[string]resourceapi.Counter) map[string]string {
	out := map[string]string{}
	for name, counter := range counters {
		out[name] = counter.Value.String()
	}
	return out
}

// camelCase returns the capacity that corresponds to a counter of the example.
func camelCase(counter string) resourceapi.QualifiedName {
	words := strings.Split(counter, "-")
	for i := range words[1:] {
		words[i+1] = strings.ToUpper(words[i+1][:1]) + words[i+1][1:]
	}
	return resourceapi.QualifiedName(strings.Join(words, ""))
}
