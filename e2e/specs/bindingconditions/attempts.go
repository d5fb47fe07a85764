// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package bindingconditions

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/devices"
	"github.com/draconform/draconform/e2e/suite/env"
	"github.com/draconform/draconform/e2e/suite/pods"
	"github.com/draconform/draconform/e2e/suite/simulated"
)

// attempt is a pod with a claim of the same name, and the conditions of its
// devices.
type attempt struct {
	Name string
	// Devices has the conditions of each device, by its name. There is a request
	// for each of them, in the order of their names. Those whose name begins with
	// "plain" have no binding conditions.
	Devices map[string]conditions
	// OneRequest states that there is one request for so many devices whose names
	// begin with that of the attempt instead.
	OneRequest bool
	// Waits states why the pod must not be bound yet. It is empty if the pod must
	// be bound.
	Waits string
}

// expectAttempts creates the pods of a file, writes the conditions of their
// devices once they are allocated, and asserts which pods are bound. Then it makes
// all devices ready, and the others must be bound, too.
func expectAttempts(ctx context.Context, e *env.Env, file string) {
	ginkgo.GinkgoHelper()
	all := fixture.ReadList[attempt](data, file)
	sim := simulated.CreateNodes(ctx, e, 1)
	sim.CreatePool(ctx, simulated.Pool{Node: sim.Names[0]}, publishedFor(all))
	for _, a := range all {
		pods.CreateWithClaim(ctx, e, a.Name, devices.NewDeviceClaim(a.requests(sim)))
	}
	waiting := map[string]string{}
	var bound, rest []string
	for _, a := range all {
		claims.WaitForAllocation(ctx, e, a.Name, "there is a device for each request")
		report(ctx, e, a.Name, a.Devices)
		if a.Waits == "" {
			bound = append(bound, a.Name)
		} else {
			waiting[a.Name] = a.Waits
			rest = append(rest, a.Name)
		}
	}
	expectWaiting(ctx, e, waiting)
	pods.WaitForScheduled(ctx, e, bound...)
	reportReady(ctx, e, rest...)
	pods.WaitForScheduled(ctx, e, rest...)
}

// publishedFor returns the devices of all attempts.
func publishedFor(all []attempt) *simulated.Inventory {
	inventory := &simulated.Inventory{}
	for _, a := range all {
		for _, name := range a.names() {
			of := fabric(name)
			if strings.HasPrefix(name, "plain") {
				of = fixture.Devices(name)
			}
			inventory.Devices = append(inventory.Devices, of.Devices...)
		}
	}
	return inventory
}

func (a attempt) names() []string { return slices.Sorted(maps.Keys(a.Devices)) }

// requests returns the requests for the devices.
func (a attempt) requests(sim *simulated.Nodes) []devices.Request {
	if a.OneRequest {
		return []devices.Request{{Name: "devices", Device: fixture.SubRequestFor(sim, a.Name).Device, Count: int64(len(a.Devices))}}
	}
	var requests []devices.Request
	for _, name := range a.names() {
		request := fixture.RequestFor(sim, name)[0]
		request.Name = name
		requests = append(requests, request)
	}
	return requests
}
