// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package poolstatus

import (
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	resourceapi "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// data contains the partitions of a GPU, and objects that an API server must
// accept, reject or change.
//
//go:embed data/*.yaml
var data embed.FS

// publishPartitions publishes a pool of the first node with the devices of
// partitions.yaml. Its slices state the attribute with the type of partitions,
// unless it is empty.
func publishPartitions(ctx context.Context, sim *simulated.Nodes, pool, attribute string) {
	ginkgo.GinkgoHelper()
	memory := map[string]resourceapi.Counter{"memory": {Value: resource.MustParse("4")}}
	of := resourceapi.ResourcePool{Name: pool}
	partitions := resourceapi.ResourceSliceSpec{Pool: of, NodeName: &sim.Names[0], Devices: fixture.ReadList[resourceapi.Device](data, "partitions.yaml")}
	if attribute != "" {
		partitions.PartitionTypeAttribute = ptr.To(resourceapi.FullyQualifiedName(sim.Driver + "/" + attribute))
	}
	sim.CreateSlices(ctx,
		resourceapi.ResourceSliceSpec{Pool: of, NodeName: &sim.Names[0], SharedCounters: []resourceapi.CounterSet{{Name: "gpu", Counters: memory}}}, partitions)
}

// poolOfPartitions returns the status of a pool of publishPartitions of which
// nothing is allocated.
func poolOfPartitions(sim *simulated.Nodes, name, types string) pool {
	p := free(name, sim.Names[0], 8)
	p.slices, p.types = 2, types
	return p
}

// allocatable returns the summary of the partitions of publishPartitions by an
// attribute: how many more of each type can be allocated.
func allocatable(sim *simulated.Nodes, attribute string, half, quarter, whole int32) string {
	of := func(partition string, allocatable, total int32) resourcev1alpha3.PartitionTypeStatus {
		return resourcev1alpha3.PartitionTypeStatus{Attribute: sim.Driver + "/" + attribute, Type: attribute + "-" + partition, Allocatable: &allocatable, Total: &total}
	}
	return typesOf([]resourcev1alpha3.PartitionTypeStatus{of("half", half, 2), of("quarter", quarter, 4), of("whole", whole, 1)})
}

// typesOf writes the numbers of the types of partitions in a comparable form. The
// API does not state their order.
func typesOf(summary []resourcev1alpha3.PartitionTypeStatus) string {
	var written []string
	for _, t := range summary {
		written = append(written, fmt.Sprintf("%d of %d %s by %s", number(t.Allocatable), number(t.Total), t.Type, t.Attribute))
	}
	slices.Sort(written)
	return strings.Join(written, ", ")
}
