package sharingaffinity

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/features"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
	driveraffinity "github.com/draconform/draconform/fakedriver/affinity"
	"github.com/draconform/draconform/fakedriver/describe"
)

// sharingNeeds are the features that all specs of sharing affinity need.
var sharingNeeds = []features.Feature{features.Core, features.SharedDevices, features.SharingAffinity}

// subnet is the key that the devices declare in specs without a table.
const subnet = "subnet"

// stated is an entry of a claim's configuration.
type stated struct {
	// Requests are the requests that the entry applies to. If it is empty, the
	// entry applies to all requests.
	Requests []string `json:"requests"`
	// Values are the attributes of an entry of the kind StructuredParameters.
	Values map[string]string `json:"values"`
	// Parameters are the opaque parameters of any other entry.
	Parameters map[string]any `json:"parameters"`
	// Driver is the driver that the entry is for. Empty means resource.k8s.io.
	Driver string `json:"driver"`
}

// inSubnet returns an entry that states a subnet for the given requests, or for
// all requests if there are none.
func inSubnet(value string, requests ...string) stated {
	return stated{Requests: requests, Values: map[string]string{subnet: value}}
}

// claiming returns the spec of a claim with requests and configuration.
func claiming(requests []devices.Request, all ...stated) resourceapi.DeviceClaim {
	claim := devices.NewDeviceClaim(requests)
	for _, s := range all {
		claim.Config = append(claim.Config, resourceapi.DeviceClaimConfiguration{Requests: s.Requests, DeviceConfiguration: s.configuration()})
	}
	return claim
}

// as returns a request under another name.
func as(name string, request []devices.Request) devices.Request {
	request[0].Name = name
	return request[0]
}

func (s stated) configuration() resourceapi.DeviceConfiguration {
	parameters, driver := s.Parameters, s.Driver
	if driver == "" {
		driver = driveraffinity.EntryDriver
	}
	if s.Values != nil {
		attributes := map[string]any{}
		for key, value := range s.Values {
			attributes[fixture.QualifiedKey(key)] = map[string]any{"string": value}
		}
		parameters = map[string]any{"apiVersion": driveraffinity.EntryAPIVersion, "kind": driveraffinity.EntryKind, "attributes": attributes}
	}
	raw, err := json.Marshal(parameters)
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return resourceapi.DeviceConfiguration{
		Opaque: &resourceapi.OpaqueDeviceConfiguration{Driver: driver, Parameters: runtime.RawExtension{Raw: raw}},
	}
}

//go:embed sharing_affinity.yaml
var sharingTables []byte

// sharing is a row of a table. sharing_affinity.yaml documents the fields.
type sharing struct {
	Row        string            `json:"row"`
	Why        string            `json:"why"`
	Keys       []string          `json:"keys"`
	Later      bool              `json:"later"`
	Attributes map[string]string `json:"attributes"`
	Held       [][]stated        `json:"held"`
	Claim      []stated          `json:"claim"`
	Fits       bool              `json:"fits"`
}

// tryTable asserts the scheduler's decision for each row of a table. Each row
// has its own device, and all rows are tested in parallel.
func tryTable(ctx context.Context, e *env.Env, table string) {
	var tables map[string][]sharing
	gomega.Expect(yaml.UnmarshalStrict(sharingTables, &tables)).To(gomega.Succeed())
	rows := tables[table]
	gomega.Expect(rows).NotTo(gomega.BeEmpty(), "table %s should have rows", table)

	sim := simulated.CreateNodes(ctx, e, 1)
	sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, devicesOf(rows, false))
	hold(ctx, e, sim, rows)
	declareLater(ctx, e, sim, rows)
	refused := map[string]string{}
	for _, row := range rows {
		pods.CreateWithClaim(ctx, e, row.Row, claiming(fixture.RequestFor(sim, row.Row), row.Claim...))
		if !row.Fits {
			refused[row.Row] = row.Why
		}
	}
	for _, row := range rows {
		if row.Fits {
			pods.WaitForScheduled(ctx, e, row.Row)
		}
	}
	if len(refused) > 0 {
		pods.WaitForEachUnschedulable(ctx, e, refused)
	}
}

// devicesOf returns the devices of rows. With later set, it includes
// declarations that are added while the device is in use.
func devicesOf(rows []sharing, later bool) *describe.Inventory {
	all := &describe.Inventory{Affinity: map[string]driveraffinity.Declaration{}}
	for _, row := range rows {
		keys := row.Keys
		if row.Later && !later {
			keys = nil
		}
		one := fixture.SharedDevices(keys, row.Row)
		for key, value := range row.Attributes {
			one.Devices[0].Attributes[resourceapi.QualifiedName(fixture.QualifiedKey(key))] = resourceapi.DeviceAttribute{StringValue: &value}
		}
		all.Devices = append(all.Devices, one.Devices...)
		fixture.DeclareAffinity(all, row.Row, keys)
	}
	return all
}

// hold starts the claims that hold shares before the test, and waits until they
// are allocated.
func hold(ctx context.Context, e *env.Env, sim *simulated.Nodes, rows []sharing) {
	var holders []string
	for _, row := range rows {
		for i, of := range row.Held {
			name := fmt.Sprintf("%s-held-%d", row.Row, i)
			pods.CreateWithClaim(ctx, e, name, claiming(fixture.RequestFor(sim, row.Row), of...))
			holders = append(holders, name)
		}
	}
	for _, name := range holders {
		pods.WaitForScheduled(ctx, e, name)
	}
}

// declareLater publishes the devices again with all declarations if a row adds
// its declaration later.
func declareLater(ctx context.Context, e *env.Env, sim *simulated.Nodes, rows []sharing) {
	for _, row := range rows {
		if row.Later {
			republish(ctx, e, sim, devicesOf(rows, true))
			return
		}
	}
}

// republish replaces the pool of the stage's first node, and waits until the
// scheduler has observed the new generation.
func republish(ctx context.Context, e *env.Env, sim *simulated.Nodes, inventory *describe.Inventory) {
	const marker = "published-anew"
	inventory.Devices = append(inventory.Devices, fixture.Devices(marker).Devices...)
	pool := simulated.Pool{Node: sim.Names[0], Generation: 2}
	sim.CreatePool(ctx, pool, inventory)
	sim.DeleteSlices(ctx, pool.Node, 1)
	// The scheduler uses a pool only after it has observed all of its slices.
	pods.CreateWithRequests(ctx, e, marker, fixture.RequestFor(sim, marker))
	pods.WaitForScheduled(ctx, e, marker)
}

// isHad asserts that a pod is scheduled with exactly the device of this name.
func isHad(ctx context.Context, e *env.Env, device, pod, because string) {
	got := pods.WaitForScheduled(ctx, e, pod)
	gomega.Expect(got).To(gomega.HaveLen(1), "pod %s asks for one device", pod)
	gomega.Expect(got[0].Device).To(gomega.Equal(device), "pod %s should have device %s, because %s", pod, device, because)
}
