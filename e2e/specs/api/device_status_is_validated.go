// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package api

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	resourceapi "k8s.io/api/resource/v1"

	"github.com/draconform/draconform/e2e/specs/internal/dryrun"
	"github.com/draconform/draconform/e2e/specs/internal/fixture"
	"github.com/draconform/draconform/e2e/suite"
	"github.com/draconform/draconform/e2e/suite/claims"
	"github.com/draconform/draconform/e2e/suite/env"
)

// deviceStatusIsValidated writes the status of an allocated device in dry runs,
// right and wrong ones.
var deviceStatusIsValidated = suite.Spec{
	ID:           "device-status-is-validated",
	Description:  "The API server stores the status of allocated devices with conditions, data and network data, and rejects what contradicts the documentation of the fields, and the status of devices that are not allocated.",
	Profile:      profile,
	Level:        suite.Provisional,
	Features:     statusFeatures,
	Component:    env.Cluster,
	Needs:        []env.Need{env.NeedsSimulatedNodes},
	Requirements: []string{"4817-status-is-valid", "4817-status-limits", "4817-status-needs-allocation"},
	Body: func(ctx context.Context, e *env.Env) {
		allocateCards(ctx, e, "card")
		allocated := claims.GetAllocation(ctx, e, "card").Results[0]
		var problems []string
		for _, one := range fixture.ReadList[writtenStatus](data, "device-status.yaml") {
			if problem := one.check(ctx, e, allocated); problem != "" {
				problems = append(problems, one.Name+": "+problem)
			}
		}
		// Gomega truncates long lists.
		if len(problems) > 0 {
			ginkgo.Fail("the API server should accept and reject the status of devices as documented:\n" + strings.Join(problems, "\n"))
		}
	},
}

// writtenStatus is the status of devices that the API server must store as it is,
// unless Rejected is set.
type writtenStatus struct {
	// Name describes the status.
	Name string
	// Devices are the entries. Those without a driver, pool or device get that of
	// the allocated device.
	Devices []resourceapi.AllocatedDeviceStatus
	// DataBytes, if set, is the length of the JSON of the data of the first entry, in
	// which FILL is replaced by as many letters x as it takes.
	DataBytes int
	// Rejected is the field in the validation error, or one of its parents.
	Rejected string
}

// check returns what is wrong with the API server's handling of a status, or an
// empty string.
func (w writtenStatus) check(ctx context.Context, e *env.Env, allocated resourceapi.DeviceRequestAllocationResult) string {
	ginkgo.By("writing as a dry run: " + w.Name)
	for i := range w.Devices {
		device := &w.Devices[i]
		device.Driver = cmp.Or(device.Driver, allocated.Driver)
		device.Pool = cmp.Or(device.Pool, allocated.Pool)
		device.Device = cmp.Or(device.Device, allocated.Device)
	}
	if w.DataBytes > 0 {
		w.lengthenData()
	}
	stored, err := dryRunUpdate(ctx, e, itsStatus, "card", func(claim *resourceapi.ResourceClaim) { claim.Status.Devices = w.Devices })
	switch {
	case w.Rejected != "" && err == nil:
		return fmt.Sprintf("is accepted, and should be rejected because of %s", w.Rejected)
	case w.Rejected != "" && !slices.ContainsFunc(dryrun.InvalidFields(err), func(field string) bool { return strings.HasPrefix(field, w.Rejected) }):
		return fmt.Sprintf("should be rejected because of %s: %v", w.Rejected, err)
	case w.Rejected != "":
		return ""
	case err != nil:
		return fmt.Sprintf("should be accepted: %v", err)
	}
	return dryrun.Missing("status.devices", toJSON(w.Devices), toJSON(stored.Status.Devices))
}

// lengthenData gives the data of the first entry its length.
func (w writtenStatus) lengthenData() {
	ginkgo.GinkgoHelper()
	longer, err := dryrun.Lengthen(toJSON(w.Devices[0].Data), w.DataBytes)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), w.Name)
	w.Devices[0].Data.Raw, err = json.Marshal(longer)
	gomega.Expect(err).NotTo(gomega.HaveOccurred(), w.Name)
}
