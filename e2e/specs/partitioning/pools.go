package partitioning

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/subject"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/simulated"
	"github.com/draconform/draconform/fakedriver/describe"
	"github.com/draconform/draconform/fakedriver/model"
)

// The needs of specs of partitions on simulated nodes.
var (
	stagedPartitionsNeed = []features.Feature{features.Core, features.Partitions}
	stagedPartitionsOn   = []env.Need{env.NeedsSimulatedNodes}
)

//go:embed partitions/*.yaml
var partitionFiles embed.FS

// load reads an embedded file of the folder partitions. It panics on errors,
// which tests detect.
func load(name string, into any) {
	content, err := partitionFiles.ReadFile("partitions/" + name + ".yaml")
	if err == nil {
		err = yaml.UnmarshalStrict(content, into)
	}
	if err != nil {
		panic(fmt.Sprintf("file %s of the folder partitions: %v", name, err))
	}
}

// a100s returns the GPUs of the example in KEP-4815 on one node, with all of
// their partitions. In addition to the attributes of the model, they have the
// attribute place: "<profile>@<first memory slice>", or "whole".
func a100s(node string, count int) *describe.Inventory {
	gpu, err := model.Load("a100-40gb")
	if err != nil {
		panic(err) // the model is embedded
	}
	inventory := gpu.Inventory(node, count)
	for _, device := range inventory.Devices {
		place := "whole"
		if profile, ok := device.Attributes[model.AttributeProfile]; ok {
			place = fmt.Sprintf("%s@%d", *profile.StringValue, *device.Attributes[model.AttributePlacement].IntValue)
		}
		device.Attributes["place"] = resourceapi.DeviceAttribute{StringValue: &place}
	}
	return inventory
}

// at selects devices at any of the places on any GPU, see [a100s].
func at(s *simulated.Nodes, places ...string) subject.Device {
	return s.Device(fmt.Sprintf("device.attributes[%q].place in [%s]", s.Driver, quoted(places)))
}

// atGPU selects devices at any of the places on one GPU of the node.
func atGPU(s *simulated.Nodes, index int, places ...string) subject.Device {
	device := at(s, places...)
	device.Selector += subject.Selector(fmt.Sprintf(" && device.attributes[%q].index == %d", s.Driver, index))
	return device
}

func quoted(words []string) string {
	quoted := make([]string, 0, len(words))
	for _, word := range words {
		quoted = append(quoted, fmt.Sprintf("%q", word))
	}
	return strings.Join(quoted, ", ")
}

// each returns one request for each of the devices.
func each(wanted ...subject.Device) []devices.Request {
	var requests []devices.Request
	for i, device := range wanted {
		requests = append(requests, devices.Request{Name: fmt.Sprintf("device-%d", i), Device: device})
	}
	return requests
}

// oneGPU returns the constraint that the partitions of the given requests are
// of one GPU. Without requests, it applies to all requests of the claim.
func oneGPU(s *simulated.Nodes, requests ...string) resourceapi.DeviceConstraint {
	return resourceapi.DeviceConstraint{
		MatchAttribute: ptr.To(resourceapi.FullyQualifiedName(s.Driver + "/" + model.AttributeParentUUID)), Requests: requests,
	}
}

// pools are the ResourceSlices of the pools of a node, by the name of the pool.
type pools map[string][]resourceapi.ResourceSliceSpec

// poolsFrom reads pools from a file. The stage sets the driver, the node and
// the number of slices. Devices without attributes get their name as an
// attribute, so that [fixture.RequestFor] can select them.
func poolsFrom(file string) pools {
	var read pools
	load(file, &read)
	for _, parts := range read {
		for _, part := range parts {
			for i := range part.Devices {
				if device := &part.Devices[i]; device.Attributes == nil {
					device.Attributes = map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{"name": {StringValue: &device.Name}}
				}
			}
		}
	}
	return read
}

// publish publishes the pools on a node.
func (p pools) publish(ctx context.Context, s *simulated.Nodes, node string) {
	ginkgo.GinkgoHelper()
	for _, name := range slices.Sorted(maps.Keys(p)) {
		s.CreateSlices(ctx, p.slices(name, node, 1)...)
	}
}

// slices returns the ResourceSlices of one pool in a generation.
func (p pools) slices(pool, node string, generation int64) []resourceapi.ResourceSliceSpec {
	specs := make([]resourceapi.ResourceSliceSpec, 0, len(p[pool]))
	for _, part := range p[pool] {
		spec := *part.DeepCopy()
		spec.NodeName = &node
		spec.Pool = resourceapi.ResourcePool{Name: node + "-" + pool, Generation: generation, ResourceSliceCount: int64(len(p[pool]))}
		specs = append(specs, spec)
	}
	return specs
}
