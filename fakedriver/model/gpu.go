// Package model has the GPUs that the fake driver offers, as data in the
// language of package describe.
package model

import (
	"embed"
	"fmt"
	"path"
	"strings"

	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/fakedriver/describe"
)

//go:embed models/*.yaml
var models embed.FS

// first is the GPU that a model describes. The names of its partitions and its
// counter set begin with its own.
const first = "gpu-0"

// GPU is a model of GPU and how it can be partitioned, see KEP-4815, "Dynamic
// allocation of Multi-Instance GPUs".
type GPU struct {
	// described is the first GPU of a node, without the attributes that tell
	// one from another.
	described *describe.Inventory
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

// parse reads the description of a model and checks what is done with it later.
func parse(data []byte) (*GPU, error) {
	described, err := describe.Compile(data)
	if err != nil {
		return nil, err
	}
	if len(described.CounterSets) != 1 || described.Device(first) == nil {
		return nil, fmt.Errorf("must describe one GPU, %s, and its partitions", first)
	}
	for _, device := range described.Devices {
		if device.Name != first && !strings.HasPrefix(device.Name, first+"-") {
			return nil, fmt.Errorf("device %q: its name must begin with %q", device.Name, first+"-")
		}
		if _, ok := uuidPrefixes[text(device, AttributeType)]; !ok {
			return nil, fmt.Errorf("device %q: attribute %q must be %q or %q", device.Name, AttributeType, TypeGPU, TypeMIG)
		}
	}
	return &GPU{described: described}, nil
}

// text returns the value of an attribute that is a string, "" for all others.
func text(device resourceapi.Device, name resourceapi.QualifiedName) string {
	if value := device.Attributes[name].StringValue; value != nil {
		return *value
	}
	return ""
}
