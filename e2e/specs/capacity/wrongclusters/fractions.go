// Copyright The draconform Authors.
// SPDX-License-Identifier: Apache-2.0

package wrongclusters

import (
	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/draconform/draconform/e2e/internal/fakecluster"
	"github.com/draconform/draconform/e2e/internal/wrong"
)

// wrongFractions are clusters with faults of ranges that have fractions.
var wrongFractions = wrong.Table{
	"scheduler rounds minimums and steps up": {
		Options: misreadsRanges(func(r *resourceapi.CapacityRequestPolicyRange) {
			r.Min.RoundUp(0)
			r.Step.RoundUp(0)
		}), Spec: "shared-device-consumes-fractional-steps",
		Want: []string{"the capacity that claim raised-to-minimum consumes of device halves", `"cores": "1"`, `"cores": "500m"`},
	},
	"scheduler rounds steps up": {
		Options: misreadsRanges(func(r *resourceapi.CapacityRequestPolicyRange) { r.Step.RoundUp(0); r.Max = nil }),
		Spec:    "shared-device-consumes-fractional-steps",
		Want:    []string{"the capacity that claim next-step consumes of device halves", `"cores": "2500m"`, `"cores": "2"`},
	},
	"scheduler cuts the fraction of maximums off": {
		Options: misreadsRanges(func(r *resourceapi.CapacityRequestPolicyRange) {
			r.Max = resource.NewQuantity(r.Max.MilliValue()/1000, resource.DecimalSI)
		}), Spec: "shared-device-consumes-fractional-steps",
		Want: []string{"pod exactly-maximum is not scheduled"},
	},
	"scheduler ignores maximums": {
		Options: misreadsRanges(func(r *resourceapi.CapacityRequestPolicyRange) { r.Max = nil }), Spec: "shared-device-consumes-fractional-steps",
		Want: []string{"because they request more than the maximum of the range"},
	},
	"API server does not validate ranges with fractions": {
		Spec: "shared-device-fractional-range-is-validated",
		Want: []string{
			"a default between two fractional steps: is accepted, and should be rejected because of spec.devices[0].capacity",
			"a maximum between two fractional steps: is accepted", "a fractional default between two whole steps: is accepted",
			"a default just below the minimum: is accepted", "a minimum of less than a thousandth: is accepted",
		},
	},
	"API server rounds defaults up": {
		Options: wrong.Misstores("ResourceSlice", func(devices any) {
			for _, device := range devices.([]any) {
				cores := device.(map[string]any)["capacity"].(map[string]any)["cores"].(map[string]any)
				cores["requestPolicy"].(map[string]any)["default"] = "2"
			}
		}), Spec: "shared-device-fractional-range-is-validated",
		Want: []string{"a fractional minimum without steps: spec.devices[0].capacity.cores.requestPolicy.default should be 750m, and is 2"},
	},
}

// misreadsRanges returns a cluster whose scheduler sees changed ranges of the
// capacity cores.
func misreadsRanges(change func(*resourceapi.CapacityRequestPolicyRange)) fakecluster.Options {
	return wrong.MisreadsDevices(func(d *resourceapi.Device) {
		if policy := d.Capacity["cores"].RequestPolicy; policy != nil {
			change(policy.ValidRange)
		}
	})
}
