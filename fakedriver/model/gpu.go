// Package model describes the GPUs that the fake driver offers, as data, and
// compiles them into devices and counter sets.
package model

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/yaml"
)

//go:embed models/*.yaml
var models embed.FS

// Counters that every GPU has: devices are ordered by them.
const (
	memory          = "memory"
	multiprocessors = "multiprocessors"
)

// GPU describes a model of GPU and how it can be partitioned, see KEP-4815,
// "Dynamic allocation of Multi-Instance GPUs".
type GPU struct {
	// Name selects the model. It equals the name of its file.
	Name string `json:"name"`
	// ProductName is published as the attribute of that name.
	ProductName string `json:"productName"`
	// MemorySlices is how many slices the memory has. Each of them is a
	// counter with the value 1, beside those in Counters.
	MemorySlices int `json:"memorySlices"`
	// Counters is what one GPU has, by counter name, a DNS label.
	Counters map[string]resource.Quantity `json:"counters"`
	// Profiles are the kinds of partitions, in any order.
	Profiles []Profile `json:"profiles"`
}

// Profile describes one kind of partition of a GPU.
type Profile struct {
	// Name is the vendor's name, for example "1g.5gb+me".
	Name string `json:"name"`
	// MemorySlices is how many adjacent memory slices a partition takes.
	MemorySlices int `json:"memorySlices"`
	// Placements are the memory slices at which a partition may start.
	Placements []int `json:"placements"`
	// Counters is what a partition takes of the GPU's counters. It names
	// all of them, those of which it takes nothing with 0.
	Counters map[string]resource.Quantity `json:"counters"`
}

// Load returns the model with the given name. The error for an unknown one
// lists those that exist.
func Load(name string) (*GPU, error) {
	data, err := models.ReadFile(path.Join("models", name+".yaml"))
	if err != nil {
		return nil, fmt.Errorf("unknown model %q, there is: %s", name, strings.Join(Names(), ", "))
	}
	gpu, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	if gpu.Name != name {
		return nil, fmt.Errorf("model %s: its file says that it is %q", name, gpu.Name)
	}
	return gpu, nil
}

// Names returns the names that Load knows, sorted.
func Names() []string {
	entries, err := models.ReadDir("models")
	if err != nil {
		panic(err) // The folder is embedded in the program.
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	return names
}

func parse(data []byte) (*GPU, error) {
	var gpu GPU
	if err := yaml.UnmarshalStrict(data, &gpu); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	for _, required := range []string{memory, multiprocessors} {
		if _, ok := gpu.Counters[required]; !ok {
			return nil, fmt.Errorf("counter %q is missing", required)
		}
	}
	seen := map[string]bool{}
	for _, profile := range gpu.Profiles {
		if seen[profile.Name] {
			return nil, fmt.Errorf("profile %q: listed twice", profile.Name)
		}
		seen[profile.Name] = true
		if err := gpu.check(profile); err != nil {
			return nil, fmt.Errorf("profile %q: %w", profile.Name, err)
		}
	}
	return &gpu, nil
}

// check finds what would make a profile's devices impossible to allocate.
func (g *GPU) check(p Profile) error {
	for name, has := range g.Counters {
		takes, ok := p.Counters[name]
		if !ok {
			return fmt.Errorf("counter %q is missing", name)
		}
		if takes.Sign() < 0 || takes.Cmp(has) > 0 {
			return fmt.Errorf("counter %q: takes %s of %s", name, takes.String(), has.String())
		}
	}
	if len(p.Counters) != len(g.Counters) {
		return fmt.Errorf("has %d counters, the GPU has %d", len(p.Counters), len(g.Counters))
	}
	if p.MemorySlices < 1 || len(p.Placements) == 0 {
		return fmt.Errorf("needs at least one memory slice and one placement")
	}
	for i, start := range p.Placements {
		if start < 0 || start+p.MemorySlices > g.MemorySlices {
			return fmt.Errorf("placement %d: %d memory slices from there do not fit into %d", start, p.MemorySlices, g.MemorySlices)
		}
		if slices.Contains(p.Placements[:i], start) {
			return fmt.Errorf("placement %d: listed twice", start)
		}
	}
	return nil
}
