package sharingaffinity

import (
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"
	"sigs.k8s.io/yaml"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

//go:embed tables.yaml
var tables []byte

// row is a row of a table. tables.yaml documents the fields.
type row struct {
	Name       string            `json:"row"`
	Why        string            `json:"why"`
	Keys       []string          `json:"keys"`
	Later      bool              `json:"later"`
	Attributes map[string]string `json:"attributes"`
	Held       [][]entry         `json:"held"`
	Claim      []entry           `json:"claim"`
	Fits       bool              `json:"fits"`
}

// expectTable asserts the scheduler's decision for each row of a table. Each
// row has its own device, and all rows are tested in parallel.
func expectTable(ctx context.Context, e *env.Env, table string) {
	rows := loadTable(table)
	sim := simulated.CreateNodes(ctx, e, 1)
	sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, devicesOf(withoutLaterKeys(rows)))
	createHolders(ctx, e, sim, rows)
	if slices.ContainsFunc(rows, func(r row) bool { return r.Later }) {
		republish(ctx, e, sim, devicesOf(rows))
	}
	unschedulable := map[string]string{}
	for _, r := range rows {
		pods.CreateWithClaim(ctx, e, r.Name, newClaim(fixture.RequestFor(sim, r.Name), r.Claim...))
		if !r.Fits {
			unschedulable[r.Name] = r.Why
		}
	}
	for _, r := range rows {
		if r.Fits {
			pods.WaitForScheduled(ctx, e, r.Name)
		}
	}
	if len(unschedulable) > 0 {
		pods.WaitForEachUnschedulable(ctx, e, unschedulable)
	}
}

func loadTable(name string) []row {
	var all map[string][]row
	gomega.Expect(yaml.UnmarshalStrict(tables, &all)).To(gomega.Succeed())
	gomega.Expect(all[name]).NotTo(gomega.BeEmpty(), "table %s should have rows", name)
	return all[name]
}

// withoutLaterKeys returns a copy of rows without the keys that are declared
// while the device is in use.
func withoutLaterKeys(rows []row) []row {
	rows = slices.Clone(rows)
	for i := range rows {
		if rows[i].Later {
			rows[i].Keys = nil
		}
	}
	return rows
}

// devicesOf returns the devices of rows.
func devicesOf(rows []row) *simulated.Inventory {
	all := &simulated.Inventory{Affinity: map[string]simulated.AffinityDeclaration{}}
	for _, r := range rows {
		device := fixture.SharedDevices(nil, r.Name).Devices[0]
		for key, value := range r.Attributes {
			device.Attributes[resourceapi.QualifiedName(fixture.QualifiedKey(key))] = resourceapi.DeviceAttribute{StringValue: &value}
		}
		all.Devices = append(all.Devices, device)
		fixture.DeclareAffinity(all, r.Name, r.Keys)
	}
	return all
}

// createHolders starts the pods whose claims have shares before the test, and
// waits until these are allocated.
func createHolders(ctx context.Context, e *env.Env, sim *simulated.Nodes, rows []row) {
	var holders []string
	for _, r := range rows {
		for i, entries := range r.Held {
			name := fmt.Sprintf("%s-held-%d", r.Name, i)
			pods.CreateWithClaim(ctx, e, name, newClaim(fixture.RequestFor(sim, r.Name), entries...))
			holders = append(holders, name)
		}
	}
	for _, name := range holders {
		pods.WaitForScheduled(ctx, e, name)
	}
}
