package subject

import (
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/dynamic-resource-allocation/cel"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/fakedriver/install"
	"github.com/draconform/draconform/fakedriver/model"
)

// names has valid driver names: the manifest's default, one of a run, the
// shortest, and the longest that the API accepts.
var names = []string{install.DefaultDriverName, "mig-0a1f.draconform.dev", "x", "mig." + strings.Repeat("long-name.", 5) + "example"}

func makeDevices(t *testing.T) []resourceapi.Device {
	t.Helper()
	return gpusOf(t, "a100-40gb")
}

// gpusOf returns two GPUs of a model, and their partitions.
func gpusOf(t *testing.T, name string) []resourceapi.Device {
	t.Helper()
	gpu, err := model.Load(name)
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return gpu.Inventory("node-1", 2).Devices
}

// selected returns the names of the A100 devices that a request's selector
// matches.
func selected(t *testing.T, driver string, d Device) []string {
	t.Helper()
	return selectedOf(t, driver, d, makeDevices(t))
}

// selectedOf returns the names of the given devices that the selector matches.
// The selector must not fail for any device, because an error ends the search
// of a scheduler.
func selectedOf(t *testing.T, driver string, d Device, devices []resourceapi.Device) []string {
	t.Helper()
	g := NewWithT(t)
	s := d.Selector
	compiled := cel.GetCompiler(cel.Features{}).CompileCELExpression(string(s), cel.Options{})
	if compiled.Error != nil { // of a pointer type, whose nil is not a nil error
		t.Fatalf("selector %s: %v", s, compiled.Error)
	}
	var accepted []string
	for _, d := range devices {
		ok, _, err := compiled.DeviceMatches(t.Context(), cel.Device{Driver: driver, Attributes: d.Attributes, Capacity: d.Capacity})
		g.Expect(err).NotTo(HaveOccurred(), "selector %s on device %s", s, d.Name)
		if ok {
			accepted = append(accepted, d.Name)
		}
	}
	return accepted
}

// ofProfile returns the devices of both GPUs whose names contain part.
func ofProfile(t *testing.T, part string) []string {
	t.Helper()
	var all []string
	for _, d := range makeDevices(t) {
		if strings.Contains(d.Name, part) {
			all = append(all, d.Name)
		}
	}
	return all
}

func TestFakeMIGSelectors(t *testing.T) {
	for _, driver := range names {
		t.Run(driver, func(t *testing.T) {
			g := NewWithT(t)
			p := Fakes{MIG: driver}.Subject().Partitions
			g.Expect(p.Small.Driver).To(Equal(driver))
			g.Expect(p.Small.Class).To(Equal(driver), "the class has the driver's name")
			g.Expect(selected(t, driver, p.Whole)).To(Equal([]string{"gpu-0", "gpu-1"}))
			g.Expect(selected(t, driver, p.Small)).To(Equal(ofProfile(t, "-1g-5gb-")[:14]), "1g.5gb, not 1g.5gb+me")
			g.Expect(selected(t, driver, p.Big)).To(Equal(ofProfile(t, "-3g-20gb-")))
			g.Expect(p.Full).To(HaveLen(2))
			for _, full := range p.Full {
				g.Expect(selected(t, driver, full)).To(Equal(ofProfile(t, "-3g-20gb-")))
			}
			var mix []string
			for _, m := range p.Mix {
				accepted := selected(t, driver, m)
				g.Expect(accepted).NotTo(BeEmpty(), "selector %s", m)
				mix = append(mix, strings.TrimRight(strings.TrimPrefix(accepted[0], "gpu-0-mig-"), "0123456789"))
			}
			g.Expect(mix).To(Equal([]string{"1g-5gb-", "1g-5gb-", "2g-10gb-", "3g-20gb-"}), "the claim of KEP-4815")
		})
	}
}

func TestOfParent(t *testing.T) {
	for _, driver := range names {
		g := NewWithT(t)
		p := Fakes{MIG: driver}.Subject().Partitions
		parent := *makeDevices(t)[slices.IndexFunc(makeDevices(t), func(d resourceapi.Device) bool { return d.Name == "gpu-1" })].Attributes[model.AttributeUUID].StringValue
		g.Expect(selected(t, driver, p.OfParent(p.Whole, parent))).To(Equal([]string{"gpu-1"}))
		small := selected(t, driver, p.OfParent(p.Small, parent))
		g.Expect(small).To(HaveLen(7))
		g.Expect(small).To(HaveEach(HavePrefix("gpu-1-")))
		either := p.Whole
		either.Selector += " || " + p.Whole.Selector
		g.Expect(selected(t, driver, p.OfParent(either, parent))).To(Equal([]string{"gpu-1"}), "the selector is bracketed")
		g.Expect(selected(t, driver, p.OfParent(p.Whole, "unknown"))).To(BeEmpty())
	}
}

// With partitions, exclusive devices are partitions and need the same features.
func TestFakeMIGExclusiveIsAPartition(t *testing.T) {
	g := NewWithT(t)
	s := Fakes{MIG: "mig.example.com"}.Subject()
	g.Expect(s.Exclusive.Device).To(Equal(s.Partitions.Small))
	g.Expect(s.Exclusive.Parents).To(Equal(s.Partitions.Parents))
	g.Expect(s.Needs([]Kind{KindShared, KindExclusive})).To(ConsistOf(features.Partitions))
	g.Expect(s.Needs([]Kind{KindPartition})).To(BeEmpty(), "specs about partitions declare their needs")
	g.Expect(s.Drivers()).To(Equal([]string{"mig.example.com"}))
}

// Without partitions, exclusive devices are GPUs, which are not parts of other
// devices.
func TestFakeMIGWithoutPartitions(t *testing.T) {
	for _, driver := range names {
		g := NewWithT(t)
		s := Fakes{MIG: driver, WithoutPartitions: true}.Subject()
		g.Expect(s.Missing([]Kind{KindExclusive})).To(BeEmpty())
		g.Expect(s.Missing([]Kind{KindPartition})).To(Equal("no driver offers devices of the kind partition"))
		g.Expect(s.Needs([]Kind{KindExclusive})).To(BeEmpty())
		g.Expect(s.Drivers()).To(Equal([]string{driver}))
		gpus := gpusOf(t, "l4")
		g.Expect(selectedOf(t, driver, s.Exclusive.Device, gpus)).To(Equal([]string{"gpu-0", "gpu-1"}))
		g.Expect(s.Exclusive.Device.Class).To(Equal(driver))
		_, parent := split(s.Exclusive.Parent)
		for _, gpu := range gpus {
			of := s.Exclusive.OfParent(s.Exclusive.Whole, *gpu.Attributes[resourceapi.QualifiedName(parent)].StringValue)
			g.Expect(selectedOf(t, driver, of, gpus)).To(Equal([]string{gpu.Name}))
		}
	}
}

// This guards the documented properties of Partitions with the figures of the
// model.
func TestFakeMIGFullLeavesNoRoomForSmall(t *testing.T) {
	g := NewWithT(t)
	memory := map[string]bool{}
	for _, d := range makeDevices(t) {
		if strings.HasPrefix(d.Name, "gpu-0-mig-3g-20gb-") {
			for counter := range d.ConsumesCounters[0].Counters {
				memory[counter] = true
			}
		}
	}
	for _, d := range makeDevices(t) {
		if !strings.HasPrefix(d.Name, "gpu-0-mig-1g-5gb-") {
			continue
		}
		taken := 0
		for counter := range d.ConsumesCounters[0].Counters {
			if strings.HasPrefix(counter, "memory-slice-") && memory[counter] {
				taken++
			}
		}
		g.Expect(taken).To(BeNumerically(">", 0), "device %s has a memory slice that no 3g.20gb takes", d.Name)
	}
}

// On each parent there are two big partitions that do not overlap, and a big
// and a small one that do not overlap.
func TestFakeMIGBigLeavesRoomForAnotherOrForSmall(t *testing.T) {
	g := NewWithT(t)
	memory := func(part string) []sets.Set[string] {
		var all []sets.Set[string]
		for _, d := range makeDevices(t) {
			if strings.HasPrefix(d.Name, part) {
				slots := sets.New[string]()
				for counter := range d.ConsumesCounters[0].Counters {
					if strings.HasPrefix(counter, "memory-slice-") {
						slots.Insert(counter)
					}
				}
				all = append(all, slots)
			}
		}
		return all
	}
	big := memory("gpu-0-mig-3g-20gb-")
	apart := func(others []sets.Set[string]) bool {
		return slices.ContainsFunc(others, func(o sets.Set[string]) bool { return o.Intersection(big[0]).Len() == 0 })
	}
	g.Expect(apart(big)).To(BeTrue())
	g.Expect(apart(memory("gpu-0-mig-1g-5gb-"))).To(BeTrue())
}

// The profile attribute distinguishes kinds of partitions on all GPUs.
func TestFakeMIGProfile(t *testing.T) {
	g := NewWithT(t)
	p := Fakes{MIG: "mig.example.com"}.Subject().Partitions
	_, name := split(p.Profile)
	profiles := func(d Device) sets.Set[string] {
		found := sets.New[string]()
		for _, device := range makeDevices(t) {
			if slices.Contains(selected(t, "mig.example.com", d), device.Name) {
				found.Insert(*device.Attributes[resourceapi.QualifiedName(name)].StringValue)
			}
		}
		return found
	}
	g.Expect(profiles(p.Small).UnsortedList()).To(ConsistOf("1g.5gb"))
	g.Expect(profiles(p.Big).UnsortedList()).To(ConsistOf("3g.20gb"))
}

func TestSplit(t *testing.T) {
	g := NewWithT(t)
	for qualified, want := range map[string][2]string{
		"example.com/parent": {"example.com", "parent"},
		"parent":             {"", "parent"},
		"a/b/c":              {"a", "b/c"},
	} {
		domain, name := split(qualified)
		g.Expect([2]string{domain, name}).To(Equal(want), qualified)
	}
}
