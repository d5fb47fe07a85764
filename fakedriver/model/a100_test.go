package model

import (
	"fmt"
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// profileTable is the table of MIG profiles in KEP-4815, column by column, with
// the names that counters have here.
var (
	profileColumns = []string{"memory", "memory slices", "multiprocessors", "copy-engines", "decoders", "encoders", "jpeg-engines", "ofa-engines"}
	profileTable   = map[string][]string{
		"7g.40gb":   {"40192Mi", "8", "98", "7", "5", "0", "1", "1"},
		"4g.20gb":   {"19968Mi", "4", "56", "4", "2", "0", "0", "0"},
		"3g.20gb":   {"19968Mi", "4", "42", "3", "2", "0", "0", "0"},
		"2g.10gb":   {"9856Mi", "2", "28", "2", "1", "0", "0", "0"},
		"1g.10gb":   {"9856Mi", "2", "14", "1", "1", "0", "0", "0"},
		"1g.5gb+me": {"4864Mi", "1", "14", "1", "1", "0", "1", "1"},
		"1g.5gb":    {"4864Mi", "1", "14", "1", "0", "0", "0", "0"},
	}
	// diagram has a letter where a partition may start, an X where one
	// would fit into the memory slices and nothing else, and a dot where
	// the partition to the left goes on.
	diagram = map[string]string{
		"7g.40gb":   "P.......",
		"4g.20gb":   "P...X...",
		"3g.20gb":   "P...P...",
		"2g.10gb":   "P.P.P.X.",
		"1g.10gb":   "P.P.P.P.",
		"1g.5gb+me": "PPPPPPPX",
		"1g.5gb":    "PPPPPPPX",
	}
)

func a100(t *testing.T, gpus int) *Inventory {
	t.Helper()
	gpu, err := Load("a100-40gb")
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return gpu.Inventory("node-1", gpus)
}

func stringAttribute(device resourceapi.Device, name resourceapi.QualifiedName) string {
	if value := device.Attributes[name].StringValue; value != nil {
		return *value
	}
	return ""
}

func TestPartitionsEqualTheTableAndTheDiagram(t *testing.T) {
	g := NewWithT(t)
	placed := map[string]string{}
	for _, device := range a100(t, 1).Devices {
		profile := stringAttribute(device, AttributeProfile)
		if profile == "" {
			continue
		}
		start := int(*device.Attributes[AttributePlacement].IntValue)
		placed[profile] += fmt.Sprintf("%d ", start)

		row := profileTable[profile]
		g.Expect(row).NotTo(BeNil(), profile)
		g.Expect(diagram[profile][start]).To(Equal(byte('P')), device.Name)

		want := map[string]string{}
		for i, column := range profileColumns {
			want[column] = row[i]
		}
		var width int
		_, err := fmt.Sscan(want["memory slices"], &width)
		g.Expect(err).NotTo(HaveOccurred())
		delete(want, "memory slices")
		for slice := start; slice < start+width; slice++ {
			want[fmt.Sprintf("memory-slice-%d", slice)] = "1"
		}
		g.Expect(device.ConsumesCounters).To(HaveLen(1))
		g.Expect(values(device.ConsumesCounters[0].Counters)).To(Equal(want), device.Name)
		g.Expect(device.Capacity).To(HaveLen(len(want)), "capacity of %s", device.Name)
	}
	for profile, row := range diagram {
		var want string
		for start, mark := range row {
			if mark == 'P' {
				want += fmt.Sprintf("%d ", start)
			}
		}
		g.Expect(placed[profile]).To(Equal(want), profile)
	}
}

func values(counters map[string]resourceapi.Counter) map[string]string {
	out := map[string]string{}
	for name, counter := range counters {
		out[name] = counter.Value.String()
	}
	return out
}

func TestCounterSetEqualsTheExample(t *testing.T) {
	g := NewWithT(t)
	sets := a100(t, 2).CounterSets
	g.Expect(sets).To(HaveLen(2))
	g.Expect(sets[1].Name).To(Equal("gpu-1-counter-set"))
	want := map[string]string{
		"copy-engines": "7", "decoders": "5", "encoders": "0", "jpeg-engines": "1",
		"memory": "40Gi", "multiprocessors": "98", "ofa-engines": "1",
	}
	for slice := range 8 {
		want[fmt.Sprintf("memory-slice-%d", slice)] = "1"
	}
	g.Expect(values(sets[0].Counters)).To(Equal(want))
}

func TestWhatFitsTogether(t *testing.T) {
	for _, test := range []struct {
		name    string
		devices []string
		short   string // the counter that does not suffice
	}{
		{"seven of the smallest", []string{
			"1g-5gb-0", "1g-5gb-1", "1g-5gb-2", "1g-5gb-3", "1g-5gb-4", "1g-5gb-5", "1g-5gb-6",
		}, ""},
		{"four with double memory", []string{"1g-10gb-0", "1g-10gb-2", "1g-10gb-4", "1g-10gb-6"}, ""},
		{"three of two", []string{"2g-10gb-0", "2g-10gb-2", "2g-10gb-4"}, ""},
		{"two halves", []string{"3g-20gb-0", "3g-20gb-4"}, ""},
		{"four and three", []string{"4g-20gb-0", "3g-20gb-4"}, ""},
		{"the claim of the KEP", []string{"1g-5gb-0", "1g-5gb-1", "2g-10gb-2", "3g-20gb-4"}, ""},
		{"media engines and the other six", []string{
			"1g-5gb-me-0", "1g-5gb-1", "1g-5gb-2", "1g-5gb-3", "1g-5gb-4", "1g-5gb-5", "1g-5gb-6",
		}, ""},
		{"media engines twice", []string{"1g-5gb-me-0", "1g-5gb-me-1"}, "jpeg-engines"},
		{"four and three on the same memory", []string{"4g-20gb-0", "3g-20gb-0"}, "memory-slice-0"},
		{"a full half and one too many", []string{"4g-20gb-0", "3g-20gb-4", "1g-5gb-4"}, "copy-engines"},
		{"everything and the smallest", []string{"7g-40gb-0", "1g-5gb-3"}, "copy-engines"},
	} {
		t.Run(test.name, func(t *testing.T) {
			inventory := a100(t, 1)
			NewWithT(t).Expect(overdrawn(t, inventory, test.devices)).To(Equal(test.short))
		})
	}
}

// overdrawn returns the first counter, by name, that partitions overdraw.
func overdrawn(t *testing.T, inventory *Inventory, partitions []string) string {
	t.Helper()
	left := map[string]resource.Quantity{}
	for name, counter := range inventory.CounterSets[0].Counters {
		left[name] = counter.Value.DeepCopy()
	}
	for _, partition := range partitions {
		device := inventory.Device("gpu-0-mig-" + partition)
		NewWithT(t).Expect(device).NotTo(BeNil(), partition)
		for name, counter := range device.ConsumesCounters[0].Counters {
			value := left[name]
			value.Sub(counter.Value)
			left[name] = value
		}
	}
	var short []string
	for name, value := range left {
		if value.Sign() < 0 {
			short = append(short, name)
		}
	}
	slices.Sort(short)
	return append(short, "")[0]
}

// An X in the diagram is a place for which something is missing as soon as all
// other places of the profile are taken.
func TestNoPartitionFitsWhereTheDiagramHasAnX(t *testing.T) {
	g := NewWithT(t)
	gpu, err := Load("a100-40gb")
	g.Expect(err).NotTo(HaveOccurred())
	for _, profile := range gpu.Profiles {
		var total resource.Quantity
		for range len(profile.Placements) + 1 {
			total.Add(profile.Counters["multiprocessors"])
		}
		has := gpu.Counters["multiprocessors"]
		hasX := slices.Contains([]byte(diagram[profile.Name]), 'X')
		if hasX {
			g.Expect(total.Cmp(has)).To(Equal(1), "%s would fit once more", profile.Name)
		}
	}
}

func TestOrderAndIdentity(t *testing.T) {
	g := NewWithT(t)
	devices := a100(t, 2).Devices
	g.Expect(devices).To(HaveLen(2 * 26))
	names := make([]string, len(devices))
	uuids := map[string]string{}
	for i, device := range devices {
		names[i] = device.Name
		uuid := stringAttribute(device, AttributeUUID)
		g.Expect(uuids).NotTo(HaveKey(uuid), "%s has the UUID of %s", device.Name, uuids[uuid])
		uuids[uuid] = device.Name
	}
	g.Expect(names[:2]).To(Equal([]string{"gpu-0-mig-1g-5gb-0", "gpu-0-mig-1g-5gb-1"}))
	g.Expect(names[7]).To(Equal("gpu-1-mig-1g-5gb-0"))
	g.Expect(names[14]).To(Equal("gpu-0-mig-1g-5gb-me-0"))
	g.Expect(names[len(names)-2:]).To(Equal([]string{"gpu-0", "gpu-1"}))

	var profiles []string
	for _, device := range devices {
		profiles = append(profiles, stringAttribute(device, AttributeProfile))
	}
	g.Expect(slices.Compact(profiles)).To(Equal([]string{
		"1g.5gb", "1g.5gb+me", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb", "",
	}))

	again := a100(t, 2).Devices
	g.Expect(again).To(Equal(devices), "a restart must not change anything")
}

func TestParentHoldsPartitionsTogether(t *testing.T) {
	g := NewWithT(t)
	inventory := a100(t, 2)
	for index, gpu := range []string{"gpu-0", "gpu-1"} {
		uuid := stringAttribute(*inventory.Device(gpu), AttributeUUID)
		var children int
		for _, device := range inventory.Devices {
			if stringAttribute(device, AttributeParentUUID) == uuid {
				g.Expect(*device.Attributes[AttributeIndex].IntValue).To(BeNumerically("==", index))
				children++
			}
		}
		g.Expect(children).To(Equal(26), gpu)
	}
	other, err := Load("a100-40gb")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(stringAttribute(*other.Inventory("node-2", 1).Device("gpu-0"), AttributeUUID)).
		NotTo(Equal(stringAttribute(*inventory.Device("gpu-0"), AttributeUUID)), "nodes must not share devices")
}

func TestWithoutCounters(t *testing.T) {
	g := NewWithT(t)
	inventory := a100(t, 2)
	reduced := inventory.WithoutCounters()
	g.Expect(reduced.CounterSets).To(BeEmpty())
	g.Expect(reduced.Devices).To(HaveLen(2))
	for _, device := range reduced.Devices {
		g.Expect(stringAttribute(device, AttributeType)).To(Equal(TypeGPU))
		g.Expect(device.ConsumesCounters).To(BeNil())
	}
	g.Expect(inventory.Device("gpu-0").ConsumesCounters).To(HaveLen(1), "the inventory itself was changed")
}
